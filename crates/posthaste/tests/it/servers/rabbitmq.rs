//! What tests ask of a RabbitMQ server of their own, beyond its protocol.

use std::process::Command;

use super::private::Private;

/// Has the server evaluate an expression in its own language.
pub(crate) fn evaluate(server: &Private, expression: &str) {
    let node = format!("posthaste-{}@localhost", server.address().rsplit(':').next().unwrap());
    let mut ctl = Command::new("/usr/lib/rabbitmq/bin/rabbitmqctl");
    ctl.env("HOME", std::fs::canonicalize(server.folder(0)).unwrap()).args(["-n", &node, "eval", expression]);
    let output = ctl.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Has the server write down which queues there are. It answers the declaration of a durable queue before that is on disk, and a
/// server that is killed in the next two seconds has lost the queue, with all messages that it had confirmed.
pub(crate) fn write_down_queues(server: &Private) {
    evaluate(server, "ok = mnesia:sync_log().");
}
