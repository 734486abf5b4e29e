//! A message that takes the process down with it.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use crate::lives::{SIGKILL, place_with_lease};
use crate::program::{Place, Relay, until};

const FATAL: &str = r#""event_type":"order.fatal""#;

/// A reader of what relays print that kills them as soon as a fatal message begins. That one is larger than a pipe, so the
/// relay is still busy with it.
#[derive(Default, Clone)]
struct Assassin {
    /// Ids, in the order of arrival.
    lines: Arc<Mutex<Vec<String>>>,
}

impl Assassin {
    fn watch(&self, place: &Place) -> Relay {
        let mut relay =
            Relay::start(place.command().env("POSTHASTE_RELAY__MAX_WORKER_DEATHS", "3").stdout(Stdio::piped()));
        let (stdout, pid, lines) = (relay.take_stdout(), relay.id(), self.lines.clone());
        std::thread::spawn(move || read(stdout, pid, &lines));
        relay
    }

    fn has_seen(&self, id: &str) -> bool {
        self.lines.lock().unwrap().iter().any(|line| line.contains(id))
    }
}

fn read(mut stdout: impl Read, pid: u32, lines: &Mutex<Vec<String>>) {
    let (mut text, mut chunk) = (String::new(), [0; 1_024]);
    while let Ok(count @ 1..) = stdout.read(&mut chunk) {
        text.push_str(str::from_utf8(&chunk[..count]).unwrap());
        while let Some(end) = text.find('\n') {
            lines.lock().unwrap().push(text.drain(..=end).collect());
        }
        if text.contains(FATAL) {
            Command::new("kill").args(["-s", "KILL", &pid.to_string()]).status().unwrap();
            return;
        }
    }
}

#[test]
fn a_message_that_kills_five_workers_is_dead_and_everything_else_is_delivered() {
    use std::os::unix::process::ExitStatusExt;
    let place = place_with_lease("1s");
    place.write("big.txt", &"x".repeat(500_000));
    let mut harmless: Vec<String> =
        ["order/1", "order/2", "order/3", "order/4"].map(|key| place.enqueue(key, [])).into();
    let fatal_args = ["enqueue", "--event-type", "order.fatal", "--aggregate", "order/2", "--payload", "@big.txt"];
    let fatal = place.run(fatal_args).succeeds().stdout.trim().to_owned();
    let behind = place.enqueue("order/2", []);
    harmless.extend(["order/1", "order/5", "order/6"].map(|key| place.enqueue(key, [])));

    let assassin = Assassin::default();
    for _ in 0..5 {
        assert_eq!(assassin.watch(&place).end().signal(), Some(SIGKILL));
    }
    let relay = assassin.watch(&place);
    until("the fatal message is dead", || place.json(["show", &fatal])["deliveries"][0]["status"] == "dead");
    until("everything else is delivered", || harmless.iter().all(|id| assassin.has_seen(id)));
    let dead = place.run(["list", "--status", "dead", "--json"]).json_lines();
    assert_eq!(dead.len(), 1, "{dead:?}");
    assert_eq!(dead[0]["error"], "3 workers in a row died while delivering this message alone");
    let timeline = place.json(["show", &fatal])["deliveries"][0]["timeline"].as_array().unwrap().len();
    assert_eq!(timeline, 3, "a line for each lone death");
    assert_eq!(place.json(["show", &behind])["deliveries"][0]["status"], "waiting");

    place.run(["discard", &fatal, "--yes"]).succeeds();
    until("its key goes on", || assassin.has_seen(&behind));
    relay.stop();
}
