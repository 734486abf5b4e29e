//! Twilio and Slack, imitated by Vercel's `emulate`: it keeps what it gets and shows it by the API of the original.

use std::process::Command;

use anyhow::Result;

use super::ask::ask;
use super::catalog::{Node, Service};
use super::node_modules;

pub const TWILIO: Service = Service { name: "twilio", command: |node| command(node, "twilio"), ..PLAIN };
pub const SLACK: Service = Service { name: "slack", command: |node| command(node, "slack"), ..PLAIN };

const PLAIN: Service = Service {
    needs: node_modules::NEEDS,
    find: || node_modules::find(CACHED, "emulate/dist/index.js"),
    fetch: || node_modules::install(CACHED, &["emulate@0.12.2"]),
    answers: |addresses| {
        let question = b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        addresses.iter().try_for_each(|address| ask(*address, question, b"HTTP/1.1 200 OK"))
    },
    ..Service::PLAIN
};

const CACHED: &str = "emulate-0.12.2";

fn command(node: &Node, service: &str) -> Result<Command> {
    let mut command = node_modules::command(CACHED, node)?;
    command.args(["start", "--service", service, "--port", &node.address.port().to_string()]);
    Ok(command)
}
