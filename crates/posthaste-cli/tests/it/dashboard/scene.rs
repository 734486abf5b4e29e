//! Something to look at: a destination with dead deliveries and blocked keys, a healthy one with many, one that refuses in markup, and
//! one that nobody answers for.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::endpoint::refusing;
use crate::program::{Place, Relay, until};

const VIEWER: &str = "viewer-token-0123456789";
const OPERATOR: &str = "operator-token-0123456789";
/// More than a change does without asking twice.
const ORDERS: usize = 1_100;
const HOSTILE_KEY: &str = "\"><script>harmed=2</script>";
const HOSTILE_ERROR: &str = "</pre><b class=harm>no such customer</b>";

pub struct Scene {
    place: Place,
    relay: Option<Relay>,
    /// What the scripts are told.
    pub document: Value,
    /// Where nobody listens yet.
    pub flaky: String,
}

impl Scene {
    pub fn set() -> Self {
        let (bind, flaky) = (free_address(), free_address());
        let place = Place::migrated();
        place.write("posthaste.toml", &config(&bind, &flaky));
        place.write("messages.jsonl", &messages().join("\n"));
        let written = place.run(["enqueue", "--from-jsonl", "messages.jsonl"]).succeeds().stdout;
        let ids: Vec<&str> = written.split_whitespace().collect();
        let document = json!({
            "url": format!("http://{bind}"), "viewer": VIEWER, "operator": OPERATOR, "dead": ids[0], "key": "order/1",
            "hostile": {
                "id": ids[ids.len() - 1], "key": HOSTILE_KEY, "error": HOSTILE_ERROR,
                "header": "<b class=harm>header</b>", "payload": "<script>harmed=3</script>",
            },
        });
        let mut scene = Self { place, relay: None, document, flaky };
        scene.start();
        until("everything is delivered, dead or waits", || scene.is_settled());
        scene
    }

    pub fn place(&self) -> &Place {
        &self.place
    }

    pub fn start(&mut self) {
        let relay = Relay::start(self.place.command().stdout(Stdio::null()));
        until("the server listens", || relay.logged().contains("HTTP server listens"));
        self.relay = Some(relay);
    }

    pub fn stop(&mut self) {
        self.relay.take().unwrap().stop();
    }

    pub fn enqueue_to(&self, destination: &str) {
        self.place.enqueue("order/flaky", ["--to", destination]);
    }

    pub fn has_outage(&self, destination: &str) -> bool {
        let status = self.place.json(["status"]);
        status["problems"].as_array().unwrap().iter().any(|one| {
            one["destination"] == destination && one["text"].as_str().is_some_and(|text| text.contains("out of reach"))
        })
    }

    fn is_settled(&self) -> bool {
        let status = self.place.json(["status"]);
        let counts = |name: &str| {
            status["destinations"].as_array().unwrap().iter().find(|one| one["destination"] == name).cloned()
        };
        let is = |name: &str, state: &str, number: u64| counts(name).is_some_and(|counts| counts[state] == number);
        is("billing", "dead", 3) && is("billing", "waiting", 6) && is("hostile", "dead", 1) && is("log", "pending", 0)
    }

    /// Runs a script to its end. The relay ends with the scene.
    pub fn run(&self, name: &str) {
        let ended = script(name, &self.document).status().unwrap();
        assert!(ended.success(), "{name} failed; what it said is above");
    }
}

/// A script of `tests/browser`, given up after ten minutes.
pub fn script(name: &str, scene: &Value) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let modules = root.join("target/browser/node_modules");
    assert!(modules.is_dir(), "there is no browser to test with: cargo xtask dashboard");
    let pictures = root.join("target/browser/pictures");
    std::fs::create_dir_all(&pictures).unwrap();
    let mut command = Command::new("timeout");
    command.args(["600", "node"]).arg(root.join("crates/posthaste-cli/tests/browser").join(name));
    command.env("BROWSER_MODULES", modules).env("PICTURES", pictures).env("CHROMIUM", chromium());
    command.env("SCENE", scene.to_string());
    command
}

fn chromium() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("chromium")).find(|program| program.is_file());
    found.expect("there is no chromium: cargo xtask dashboard")
}

/// An address at which nobody listens now.
fn free_address() -> String {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

fn config(bind: &str, flaky: &str) -> String {
    let webhook = |name: &str, events: &str, address: &str| {
        format!(
            "[destinations.{name}]\ntype = 'webhook'\nevents = {events}\nmax_attempts = 2\nbackoff = {{ type = 'list', delays = ['10ms'] }}\n\
             [destinations.{name}.webhook]\nurl = 'http://{address}/'\nallow = ['127.0.0.1']\n"
        )
    };
    let billing = refusing("no such customer").to_string();
    let hostile = refusing(HOSTILE_ERROR).to_string();
    format!(
        "[http]\nbind = '{bind}'\n[http.tokens.grafana]\ntoken = '{VIEWER}'\n[http.tokens.ann]\nrole = 'operator'\ntoken = '{OPERATOR}'\n\
         [destinations.log]\ntype = 'stdout'\nevents = ['*']\n{}{}{}",
        webhook("billing", "['invoice.*']", &billing),
        webhook("hostile", "[]", &hostile),
        webhook("flaky", "[]", flaky),
    )
}

/// Three invoices of three orders each, of which the first is refused; many orders; and one message that would like to be markup.
fn messages() -> Vec<String> {
    let of_order = |kind: &str, order: usize, payload: serde_json::Value| json!({ "event_type": kind, "aggregate_type": "order", "aggregate_id": order.to_string(), "payload": payload });
    let kinds = ["invoice.created", "invoice.sent", "invoice.paid"];
    let invoice = |n: usize| of_order(kinds[n / 3], n % 3 + 1, json!({ "n": n }));
    let order = |n: usize| of_order("order.paid", n + 100, json!({ "total": n }));
    let hostile = json!({
        "event_type": "order.moved", "aggregate_type": "order", "aggregate_id": "x", "key": HOSTILE_KEY, "destination": "hostile",
        "headers": [["x-note", "<b class=harm>header</b>"]], "payload": { "note": "<script>harmed=3</script>" },
    });
    let all = (0..9).map(invoice).chain((0..ORDERS).map(order)).chain([hostile]);
    all.map(|message| message.to_string()).collect()
}
