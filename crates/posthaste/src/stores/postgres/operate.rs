//! What an operator may do to deliveries. Never touches a cursor: the holder of the lane picks the change up by `due`.

use deadpool_postgres::{Client, Transaction};

use super::list::Matches;
use super::{codec, register};
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{Filter, Listed, Mode, Operation, OperationReport, Status};

/// Counts what an operation applies to and, with [`Mode::Apply`], does it.
pub(super) async fn operate(
    transaction: &Transaction<'_>,
    operation: Operation,
    filter: &Filter,
    mode: Mode,
) -> Result<OperationReport> {
    let mut report = OperationReport::default();
    let mut matches = Matches::new(transaction, filter, 0);
    while let Some(chunk) = matches.next_chunk().await? {
        for change in plan(transaction, operation, &chunk, &mut report).await? {
            if mode == Mode::Apply {
                let statement = transaction.prepare_cached(change.sql).await?;
                transaction.execute(&statement, &[&change.seq, &change.destination]).await?;
            }
        }
    }
    Ok(report)
}

/// One delivery and the statement that changes it.
struct Change<'a> {
    sql: &'static str,
    seq: i64,
    destination: &'a str,
}

async fn plan<'a>(
    transaction: &Transaction<'_>,
    operation: Operation,
    chunk: &'a [Listed],
    report: &mut OperationReport,
) -> Result<Vec<Change<'a>>> {
    let mut changes = Vec::new();
    for one in chunk {
        let (Some(destination), Some(status)) = (&one.destination, one.status) else { continue };
        let Some(sql) = change(operation, status) else {
            report.not_applicable += 1;
            continue;
        };
        let seq = codec::signed(one.position.seq);
        report.affected += 1;
        if operation == Operation::Replay {
            report.overtaken += u64::from(is_overtaken(transaction, seq, destination).await?);
        }
        changes.push(Change { sql, seq, destination });
    }
    Ok(changes)
}

/// The statement that does the operation, or `None` where it does not apply.
fn change(operation: Operation, status: Status) -> Option<&'static str> {
    match (operation, status) {
        (Operation::Replay, Status::Dead | Status::Retrying | Status::Discarded) => {
            Some(include_str!("operate_retry.sql"))
        }
        (Operation::Replay, Status::Scheduled | Status::Throttled) => Some(include_str!("operate_hasten.sql")),
        (Operation::Replay, Status::Delivered) => Some(include_str!("operate_replay.sql")),
        (Operation::Discard, Status::Pending | Status::Delivered | Status::Waiting) => None,
        (Operation::Discard, Status::Discarding | Status::Discarded) => None,
        (Operation::Discard, _) => Some(include_str!("operate_discard.sql")),
        (Operation::Replay, _) => None,
    }
}

async fn is_overtaken(transaction: &Transaction<'_>, seq: i64, destination: &str) -> Result<bool> {
    let statement = transaction.prepare_cached(include_str!("operate_overtaken.sql")).await?;
    Ok(transaction.query_one(&statement, &[&seq, &destination]).await?.try_get(0)?)
}

/// Returns whether that changed anything.
pub(super) async fn set_paused(client: &Client, destination: &Name, paused: bool) -> Result<bool> {
    register::known(client, destination).await?;
    let statement = client.prepare_cached(include_str!("operate_pause.sql")).await?;
    Ok(client.execute(&statement, &[&destination.as_str(), &paused]).await? == 1)
}
