//! What a person should know before a relay runs here.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use super::{MySql, partitions};
use crate::error::Result;
use crate::inspect::Problem;

/// The largest message that every client can send, with what is around it.
const SMALLEST_PACKET: u64 = 17 << 20;

/// What about the server would do harm, and what costs more than it should.
pub(super) async fn check(store: &MySql) -> Result<Vec<Problem>> {
    let mut connection = store.connection().await?;
    partitions::known(store, &mut connection).await?;
    let mut problems = replication(&mut connection).await?;
    problems.extend(durability(&mut connection).await?);
    problems.extend(limits(&mut connection).await?);
    Ok(problems)
}

/// A server that loses commits in a crash loses positions that relays remember.
async fn durability(connection: &mut Conn) -> Result<Vec<Problem>> {
    let flush = variable(connection, "innodb_flush_log_at_trx_commit").await?;
    let sync = variable(connection, "sync_binlog").await?;
    let has_log = variable(connection, "log_bin").await?;
    let mut problems = Vec::new();
    if flush.is_some_and(|flush| flush != "1") {
        problems.push(Problem::warning(
            "innodb_flush_log_at_trx_commit is not 1: a crash of the machine loses what was written last, messages and data alike, and \
             relays have to be started anew after it",
        ));
    }
    if has_log.is_some_and(|log| log == "1" || log == "ON") && sync.is_some_and(|sync| sync != "1") {
        problems.push(Problem::warning(
            "sync_binlog is not 1: after a crash of the machine a replica may lack messages that were delivered",
        ));
    }
    Ok(problems)
}

async fn replication(connection: &mut Conn) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    if variable(connection, "read_only").await?.is_some_and(|value| value == "1" || value == "ON") {
        problems.push(Problem::refusal(
            "the server is read-only, as a replica is: the journal can only be walked on the primary",
        ));
    }
    if variable(connection, "binlog_format").await?.is_some_and(|format| format == "STATEMENT") {
        problems.push(Problem::refusal(
            "binlog_format is STATEMENT, which cannot replicate what the relay does: set it to ROW or MIXED",
        ));
    }
    Ok(problems)
}

async fn limits(connection: &mut Conn) -> Result<Vec<Problem>> {
    let packet = variable(connection, "max_allowed_packet").await?.and_then(|bytes| bytes.parse::<u64>().ok());
    let text = "max_allowed_packet is below 17 MB: larger messages cannot be written (64M is usual)";
    Ok(packet.filter(|bytes| *bytes < SMALLEST_PACKET).map(|_| Problem::warning(text)).into_iter().collect())
}

/// A variable of the server, if it has one of this name.
async fn variable(connection: &mut Conn, name: &str) -> Result<Option<String>> {
    let found: Option<(String, String)> =
        connection.exec_first("SHOW GLOBAL VARIABLES WHERE Variable_name = ?", (name,)).await?;
    Ok(found.map(|(_, value)| value))
}
