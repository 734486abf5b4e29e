//! The example `chat`: an application with an outbox of its own making, and the program.

use std::process::Command;

use super::{example, mongodb};
use crate::brokers::redis::server::Server;
use crate::program::{Place, Relay, until};

const CONFIG: &str = include_str!("../../../../posthaste/examples/chat/posthaste.yaml");

#[test]
fn what_is_said_in_a_chat_is_on_the_bus_in_order_and_gone_from_the_outbox_after_its_time() {
    let (place, redis, url) = (Place::empty(), Server::start(&[]), mongodb());
    place.write("posthaste.yaml", CONFIG);
    // The program finds its addresses where the example says, in the environment.
    let program = |place: &Place| -> Command {
        let mut command = place.command();
        command.env("MONGODB_URL", &url).env("REDIS_URL", redis.url());
        command
    };
    let list = || {
        let answer = program(&place).args(["list", "--json"]).output().unwrap();
        String::from_utf8(answer.stdout).unwrap().lines().count()
    };
    assert!(program(&place).arg("migrate").status().unwrap().success());

    let said = example(&place, "chat").args(["general", "hello", "is anyone here?"]).env("MONGODB_URL", &url).output();
    let said = String::from_utf8(said.unwrap().stdout).unwrap();
    assert_eq!(said.lines().collect::<Vec<_>>(), ["general: hello", "general: is anyone here?"]);

    let relay = Relay::start(&mut program(&place));
    until("both are on the bus", || redis.entries("events:chat").len() == 2);
    let entries = redis.entries("events:chat");
    let payloads: Vec<_> = entries.iter().map(|entry| entry.text("payload").unwrap()).collect();
    assert_eq!(payloads, [r#"{"text":"hello"}"#, r#"{"text":"is anyone here?"}"#]);
    assert_eq!(entries[0].text("posthaste-event-type").as_deref(), Some("chat.message_posted"));
    relay.stop();
    assert_eq!(list(), 2, "what is younger than seven days stays");

    let mut hasty = program(&place);
    hasty.env("POSTHASTE_RETENTION__KEEP", "1ms").env("POSTHASTE_RETENTION__PURGE_ON_START", "true");
    let relay = Relay::start(&mut hasty);
    until("the outbox is cleaned up", || list() == 0);
    relay.stop();
}
