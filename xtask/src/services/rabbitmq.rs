//! RabbitMQ, without its management plugin.

use std::process::Command;

use anyhow::{Result, bail};

use super::ask::exchange;
use super::catalog::{Node, Service};
use super::{install, ports};

pub const SERVICE: Service = Service {
    name: "rabbitmq",
    needs: &[("rabbitmq-server", "rabbitmq-server")],
    find: || install::find("rabbitmq-server"),
    command,
    answers: |addresses| {
        for address in addresses {
            // The server introduces itself by `Connection.Start`: class 10, method 10, in a frame of type 1.
            let start = exchange(*address, b"AMQP\x00\x00\x09\x01", 11)?;
            if start[0] != 1 || start[7..] != [0, 10, 0, 10] {
                bail!("answered {start:?}");
            }
        }
        Ok(())
    },
    ..Service::PLAIN
};

fn command(node: &Node) -> Result<Command> {
    let port = node.address.port().to_string();
    let mut command = Command::new(&node.program);
    // Its script then becomes the server, instead of watching over it, so that signals reach the server.
    command.env("RABBITMQ_ALLOW_INPUT", "true").env("RABBITMQ_SERVER_START_ARGS", "-noinput");
    // The port in the name tells apart the servers of one machine, all of which are known to its one `epmd`.
    command.env("RABBITMQ_NODENAME", format!("posthaste-{port}@localhost")).env("ERL_EPMD_ADDRESS", "127.0.0.1");
    command.env("RABBITMQ_NODE_IP_ADDRESS", node.address.ip().to_string()).env("RABBITMQ_NODE_PORT", &port);
    command.env("RABBITMQ_DIST_PORT", ports::free()?.to_string());
    command.env("RABBITMQ_MNESIA_BASE", &node.folder).env("RABBITMQ_LOGS", "-");
    command.env("RABBITMQ_ENABLED_PLUGINS_FILE", node.folder.join("plugins"));
    command.env("RABBITMQ_CONFIG_FILE", node.folder.join("rabbitmq")).env("RABBITMQ_CONF_ENV_FILE", "/dev/null");
    // Where it keeps the secret that its nodes share.
    command.env("HOME", &node.folder);
    Ok(command)
}
