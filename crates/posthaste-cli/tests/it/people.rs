//! Mail, short messages and chat, as the program sends them: they arrive, and the logs do not know to whom.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::{Place, Relay, until};
use crate::servers::address;

const CANARY: &str = "canary-7d1f0c";
const ACCOUNT: &str = "AC00000000000000000000000000000000";
const TOKEN: &str = "twilio_test_auth_token";

/// Asks a server on this machine, in the plainest HTTP there is.
fn ask(address: &str, request: &str, body: &str) -> Value {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(stream, "{request}\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer);
    let (begin, end) = (answer.find(['{', '[']).expect("JSON"), answer.rfind(['}', ']']).expect("JSON"));
    serde_json::from_str(&answer[begin..=end].replace("\r\n", "")).unwrap_or(Value::Null)
}

fn mail_to(address_of: &str) -> bool {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/services/mailpit/data/0/http");
    let http = std::fs::read_to_string(folder).expect("no mailpit: cargo xtask services up mailpit");
    let found = ask(http.trim(), &format!("GET /api/v1/search?query=to:%22{address_of}%22 HTTP/1.1"), "");
    found["messages_count"].as_u64().is_some_and(|count| count > 0)
}

/// `AC…:token` in base64.
fn basic() -> String {
    use base64::prelude::{BASE64_STANDARD, Engine as _};
    BASE64_STANDARD.encode(format!("{ACCOUNT}:{TOKEN}"))
}

fn text_to(number: &str) -> bool {
    let path = format!("/2010-04-01/Accounts/{ACCOUNT}/Messages.json?To={}&PageSize=50", number.replace('+', "%2B"));
    let found = ask(&address("twilio"), &format!("GET {path} HTTP/1.1\r\nauthorization: Basic {}", basic()), "");
    found["messages"].as_array().is_some_and(|all| all.iter().any(|one| one["to"] == number))
}

fn slack(method: &str, body: &Value) -> Value {
    let request = format!("POST /api/{method} HTTP/1.1\r\nauthorization: Bearer xoxb-test");
    ask(&address("slack"), &request, &body.to_string())
}

#[test]
fn mail_text_and_chat_arrive_and_no_log_shows_to_whom_or_what() {
    let unique = uuid::Uuid::now_v7().simple().to_string();
    let (mail, number) =
        (format!("u-{unique}@example.com"), format!("+49{:010}", uuid::Uuid::now_v7().as_u128() % 10_000_000_000));
    let channel = slack("conversations.create", &json!({ "name": format!("c-{}", &unique[20..]) }));
    let channel = channel["channel"]["id"].as_str().expect("a channel").to_owned();
    let place = Place::migrated();
    let config = format!(
        "log.level = 'trace'\n\
         [destinations.mail]\ntype = 'email'\n[destinations.mail.email]\nurl = 'smtp://relay:pw@{}'\nencryption = 'none'\n\
         from = 'shop@example.com'\nto = '{{{{ payload.mail }}}}'\nsubject = 'Hello'\ntext = '{{{{ payload.note }}}}'\n\
         [destinations.text]\ntype = 'sms'\n[destinations.text.sms]\nto = '{{{{ payload.phone }}}}'\ntext = '{{{{ payload.note }}}}'\nallow = ['127.0.0.1']\n\
         twilio = {{ account = '{ACCOUNT}', token = '{TOKEN}', from = '+15551234567', url = 'http://{}' }}\n\
         [destinations.chat]\ntype = 'slack'\n[destinations.chat.slack]\ntoken = 'xoxb-test'\nchannel = '{channel}'\nthread = true\n\
         text = '{{{{ payload.note }}}}'\nurl = 'http://{}'\nallow = ['127.0.0.1']\n",
        address("mailpit"),
        address("twilio"),
        address("slack"),
    );
    place.write("posthaste.toml", &config);
    let checked = place.run(["check"]).succeeds();
    assert!(["mail", "text", "chat"].iter().all(|name| checked.stdout.contains(name)), "{}", checked.stdout);

    let payload = json!({ "mail": mail, "phone": number, "note": CANARY }).to_string();
    place.enqueue("order/1", ["--payload", &payload]);
    let incomplete =
        place.enqueue("order/2", ["--payload", &format!(r#"{{"note": "{CANARY}", "mail": "no address {unique}"}}"#)]);
    let relay = Relay::start(place.command().args(["-vv"]).stdout(Stdio::null()));
    until("the mail arrives", || mail_to(&mail));
    until("the text arrives", || text_to(&number));
    let posted =
        || slack("conversations.history", &json!({ "channel": channel }))["messages"].as_array().map_or(0, Vec::len);
    until("the posts arrive", || posted() == 2);
    let dead = |name: &str| {
        let shown = place.json(["show", &incomplete]);
        let deliveries = shown["deliveries"].as_array().unwrap().clone();
        deliveries.into_iter().find(|at| at["destination"] == name && at["status"] == "dead")
    };
    until("what lacks a field is dead", || dead("mail").is_some() && dead("text").is_some());
    let error = dead("text").unwrap()["error"].as_str().unwrap().to_owned();
    assert_eq!(error, "to: `payload.phone` is missing in this message");
    let logged = relay.logged();
    relay.stop();
    for secret in [CANARY, &unique, &number[3..], TOKEN, "xoxb-test", "relay:pw"] {
        assert!(!logged.contains(secret), "{secret} in the log");
    }
}
