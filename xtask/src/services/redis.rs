//! Redis, without persistence.

use std::process::Command;

use super::ask::ask;
use super::catalog::Service;
use super::install;

pub const SERVICE: Service = Service {
    name: "redis",
    needs: &[("redis-server", "redis-server")],
    find: || install::find("redis-server"),
    command: |node| {
        let mut command = Command::new(&node.program);
        command.args(["--bind", &node.address.ip().to_string(), "--port", &node.address.port().to_string()]);
        command.args(["--save", "", "--appendonly", "no", "--daemonize", "no", "--dir"]).arg(&node.folder);
        Ok(command)
    },
    answers: |addresses| addresses.iter().try_for_each(|address| ask(*address, b"PING\r\n", b"+PONG")),
    ..Service::PLAIN
};
