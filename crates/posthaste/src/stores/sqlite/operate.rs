//! What an operator may do to deliveries. Never touches a cursor: the holder of the lane picks the change up by `due`.

use rusqlite::{Connection, named_params};

use super::list::{CHUNK, Matches};
use super::{Sqlite, codec};
use crate::error::Result;
use crate::inspect::{Filter, Job, Listed, Mode, Operation, OperationReport, Order};
use crate::journal::Position;
use crate::rules::job::{Piece, is_part};
use crate::rules::operation::{Effect, effect};
use crate::stores::values;

pub(super) async fn operate(
    store: &Sqlite,
    operation: Operation,
    filter: &Filter,
    mode: Mode,
) -> Result<OperationReport> {
    let filter = filter.clone();
    match mode {
        Mode::DryRun => {
            let count = move |connection: &Connection| {
                let snapshot = connection.unchecked_transaction()?;
                Pass { connection: &snapshot, operation, mode }.run(&filter)
            };
            store.inspecting(count).await
        }
        Mode::Apply => {
            let apply = store.writing(move |connection| Pass { connection, operation, mode }.run(&filter));
            let report = apply.await?;
            store.wake();
            Ok(report)
        }
    }
}

/// Carries out the next piece of a job, and says up to where that was, unless it was the end. In the caller's transaction.
pub(super) fn piece(connection: &Connection, job: &Job) -> Result<(OperationReport, Option<Position>)> {
    let pass = Pass { connection, operation: job.operation, mode: Mode::Apply };
    let (mut report, mut piece) = (OperationReport::default(), Piece::default());
    let mut matches = Matches::new(connection, &job.filter, Order::OldestFirst, values::seq(job.upto))?;
    while piece.goes_on() {
        let Some(mut chunk) = matches.next_chunk()? else { return Ok((report, None)) };
        chunk.retain(|one| is_part(job, one.position));
        piece.add(chunk.len(), CHUNK as usize);
        pass.apply(&chunk, &mut report)?;
    }
    Ok((report, Some(values::position(matches.upto))))
}

/// One pass over the deliveries that match, in one transaction.
struct Pass<'a> {
    connection: &'a Connection,
    operation: Operation,
    mode: Mode,
}

impl Pass<'_> {
    /// Counts what the operation applies to and, with [`Mode::Apply`], does it.
    fn run(&self, filter: &Filter) -> Result<OperationReport> {
        let mut report = OperationReport::default();
        let mut matches = Matches::new(self.connection, filter, Order::OldestFirst, 0)?;
        while let Some(chunk) = matches.next_chunk()? {
            match self.mode {
                Mode::DryRun => drop(self.plan(&chunk, &mut report)?),
                Mode::Apply => self.apply(&chunk, &mut report)?,
            }
        }
        Ok(report)
    }

    /// Does it to these.
    fn apply(&self, chunk: &[Listed], report: &mut OperationReport) -> Result<()> {
        let now = codec::now();
        self.plan(chunk, report)?.iter().try_for_each(|change| change.apply(self.connection, now))
    }

    fn plan<'c>(&self, chunk: &'c [Listed], report: &mut OperationReport) -> Result<Vec<Change<'c>>> {
        let mut changes = Vec::new();
        for one in chunk {
            let (Some(destination), Some(status)) = (&one.destination, one.status) else { continue };
            let Some(effect) = effect(self.operation, status) else {
                report.not_applicable += 1;
                continue;
            };
            let change = Change { effect, seq: values::seq(one.position), destination };
            report.affected += 1;
            report.overtaken += u64::from(self.operation == Operation::Replay && change.is_overtaken(self.connection)?);
            changes.push(change);
        }
        Ok(changes)
    }
}

/// One delivery and what is to happen to it.
struct Change<'a> {
    effect: Effect,
    seq: i64,
    destination: &'a str,
}

impl Change<'_> {
    fn apply(&self, connection: &Connection, now: i64) -> Result<()> {
        let sql = match self.effect {
            Effect::Restart => include_str!("sql/operate/restart.sql"),
            Effect::Hasten => include_str!("sql/operate/hasten.sql"),
            Effect::Repeat => include_str!("sql/operate/repeat.sql"),
            Effect::Discard => include_str!("sql/operate/discard.sql"),
        };
        let params = named_params! { ":seq": self.seq, ":destination": self.destination, ":now": now };
        connection.prepare_cached(sql)?.execute(params)?;
        Ok(())
    }

    /// Whether the destination has a newer message of the same key already.
    fn is_overtaken(&self, connection: &Connection) -> Result<bool> {
        let mut statement = connection.prepare_cached(include_str!("sql/operate/overtaken.sql"))?;
        let params = named_params! { ":seq": self.seq, ":destination": self.destination };
        Ok(statement.query_row(params, |row| row.get("overtaken"))?)
    }
}
