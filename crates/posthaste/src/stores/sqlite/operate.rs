//! What an operator may do to deliveries. Never touches a cursor: the holder of the lane picks the change up by `due`.

use rusqlite::{Connection, Transaction, named_params};

use super::list::Matches;
use super::{codec, register};
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{Filter, Listed, Mode, Operation, OperationReport, Status};

/// Counts what an operation applies to and, with [`Mode::Apply`], does it.
pub(super) fn operate(
    connection: &Connection,
    operation: Operation,
    filter: &Filter,
    mode: Mode,
) -> Result<OperationReport> {
    let now = codec::now();
    let mut report = OperationReport::default();
    let mut matches = Matches::new(connection, filter, 0)?;
    while let Some(chunk) = matches.next_chunk()? {
        let changes = plan(connection, operation, &chunk, &mut report)?;
        if mode == Mode::Apply {
            changes.iter().try_for_each(|change| change.apply(connection, now))?;
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

impl Change<'_> {
    fn apply(&self, connection: &Connection, now: i64) -> Result<()> {
        let params = named_params! { ":seq": self.seq, ":destination": self.destination, ":now": now };
        connection.prepare_cached(self.sql)?.execute(params)?;
        Ok(())
    }
}

fn plan<'a>(
    connection: &Connection,
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
        let seq = codec::seq(one.position);
        report.affected += 1;
        report.overtaken += u64::from(operation == Operation::Replay && is_overtaken(connection, seq, destination)?);
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

fn is_overtaken(connection: &Connection, seq: i64, destination: &str) -> Result<bool> {
    let mut statement = connection.prepare_cached(include_str!("operate_overtaken.sql"))?;
    Ok(statement.query_row(named_params! { ":seq": seq, ":destination": destination }, |row| row.get(0))?)
}

/// Returns whether that changed anything.
pub(super) fn set_paused(transaction: &Transaction<'_>, destination: &Name, paused: bool) -> Result<bool> {
    register::known(transaction, destination)?;
    let mut statement = transaction.prepare_cached(include_str!("operate_pause.sql"))?;
    let changed = statement.execute(named_params! { ":destination": destination.as_str(), ":paused": paused })?;
    Ok(changed == 1)
}
