//! What an operator may do to deliveries. Never touches a cursor: the holder of the lane picks the change up by `due`.

use mysql_async::prelude::Queryable;
use mysql_async::{Params, Transaction, params};

use super::list::{CHUNK, Matches};
use super::retry::again;
use super::{MySql, connection, sequencer};
use crate::error::Result;
use crate::inspect::{Filter, Job, Listed, Mode, Operation, OperationReport, Order};
use crate::journal::Position;
use crate::rules::job::{Piece, is_part};
use crate::rules::operation::{Effect, effect};
use crate::stores::values;

pub(super) async fn operate(
    store: &MySql,
    operation: Operation,
    filter: &Filter,
    mode: Mode,
) -> Result<OperationReport> {
    sequencer::place_new(store).await?;
    let report = again!(pass(store, operation, filter, mode))?;
    if mode == Mode::Apply {
        store.wake();
    }
    Ok(report)
}

/// One pass over the deliveries that match, in one transaction: counts what the operation applies to and, with [`Mode::Apply`], does it.
async fn pass(store: &MySql, operation: Operation, filter: &Filter, mode: Mode) -> Result<OperationReport> {
    let mut connection = store.connection().await?;
    let mut transaction = match mode {
        Mode::DryRun => connection::snapshot(&mut connection).await?,
        Mode::Apply => connection::begin(&mut connection).await?,
    };
    let mut report = OperationReport::default();
    let mut matches = Matches::new(filter, Order::OldestFirst, 0);
    while let Some(chunk) = matches.next_chunk(&mut transaction).await? {
        carry_out(&mut transaction, operation, mode, &chunk, &mut report).await?;
    }
    if mode == Mode::Apply {
        transaction.query_drop(include_str!("sql/wake.sql")).await?;
    }
    transaction.commit().await?;
    Ok(report)
}

/// Counts what an operation applies to among these deliveries and, with [`Mode::Apply`], does it.
async fn carry_out(
    transaction: &mut Transaction<'_>,
    operation: Operation,
    mode: Mode,
    chunk: &[Listed],
    report: &mut OperationReport,
) -> Result<()> {
    for one in chunk {
        let Some(change) = Change::of(operation, one, report) else { continue };
        if operation == Operation::Replay && change.is_overtaken(transaction).await? {
            report.overtaken += 1;
        }
        if mode == Mode::Apply {
            change.apply(transaction).await?;
        }
    }
    Ok(())
}

/// Carries out the next piece of a job, and says up to where that was, unless it was the end. In the caller's transaction.
pub(super) async fn piece(transaction: &mut Transaction<'_>, job: &Job) -> Result<(OperationReport, Option<Position>)> {
    let (mut report, mut piece) = (OperationReport::default(), Piece::default());
    let mut matches = Matches::new(&job.filter, Order::OldestFirst, values::seq(job.upto));
    while piece.goes_on() {
        let Some(mut chunk) = matches.next_chunk(transaction).await? else { return Ok((report, None)) };
        chunk.retain(|one| is_part(job, one.position));
        piece.add(chunk.len(), CHUNK as usize);
        carry_out(transaction, job.operation, Mode::Apply, &chunk, &mut report).await?;
    }
    Ok((report, Some(values::position(matches.upto))))
}

/// One delivery and what is to happen to it.
struct Change<'a> {
    effect: Effect,
    position: i64,
    destination: &'a str,
}

impl<'a> Change<'a> {
    /// `None` if the operation is not for such a delivery, which is counted.
    fn of(operation: Operation, one: &'a Listed, report: &mut OperationReport) -> Option<Self> {
        let (destination, status) = (one.destination.as_deref()?, one.status?);
        let Some(effect) = effect(operation, status) else {
            report.not_applicable += 1;
            return None;
        };
        report.affected += 1;
        Some(Self { effect, position: values::seq(one.position), destination })
    }

    fn params(&self) -> Params {
        params! { "position" => self.position, "destination" => self.destination }
    }

    async fn apply(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        let sql = match self.effect {
            Effect::Restart => include_str!("sql/operate/restart.sql"),
            Effect::Hasten => include_str!("sql/operate/hasten.sql"),
            Effect::Repeat => include_str!("sql/operate/repeat.sql"),
            Effect::Discard => include_str!("sql/operate/discard.sql"),
        };
        Ok(transaction.exec_drop(sql, self.params()).await?)
    }

    /// Whether the destination has a newer message of the same key already.
    async fn is_overtaken(&self, transaction: &mut Transaction<'_>) -> Result<bool> {
        let sql = include_str!("sql/operate/overtaken.sql");
        Ok(transaction.exec_first(sql, self.params()).await?.unwrap_or_default())
    }
}
