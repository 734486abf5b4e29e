//! NATS with JetStream.

use std::process::Command;

use super::ask::ask;
use super::catalog::Service;
use super::install;

pub const SERVICE: Service = Service {
    name: "nats",
    needs: &[("nats-server", "nats-server")],
    find: || install::find("nats-server"),
    command: |node| {
        let mut command = Command::new(&node.program);
        command.args(["--jetstream", "--addr", &node.address.ip().to_string()]);
        command.args(["--port", &node.address.port().to_string(), "--store_dir"]).arg(&node.folder);
        Ok(command)
    },
    // It speaks first.
    answers: |addresses| addresses.iter().try_for_each(|address| ask(*address, b"", b"INFO {")),
    ..Service::PLAIN
};
