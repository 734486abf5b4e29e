//! What an operator may do to deliveries. Never touches a cursor: the holder of the lane picks the change up by `due`.

use super::Postgres;
use super::list::{CHUNK, Matches};
use super::session::{Statements, Transaction};
use crate::error::Result;
use crate::inspect::{Filter, Job, Listed, Mode, Operation, OperationReport, Order};
use crate::journal::Position;
use crate::rules::job::{Piece, is_part};
use crate::rules::operation::{Effect, effect};
use crate::stores::values::{self, signed, unsigned};

/// Counts what an operation applies to and, with [`Mode::Apply`], does it.
pub(super) async fn operate(
    store: &Postgres,
    operation: Operation,
    filter: &Filter,
    mode: Mode,
) -> Result<OperationReport> {
    let mut client = store.client().await?;
    let transaction = match mode {
        Mode::DryRun => client.snapshot().await?,
        Mode::Apply => client.unhurried().await?,
    };
    let mut report = OperationReport::default();
    let mut matches = Matches::new(&transaction, filter, Order::OldestFirst, 0);
    while let Some(chunk) = matches.next_chunk().await? {
        carry_out(&transaction, operation, mode, &chunk, &mut report).await?;
    }
    if mode == Mode::Apply {
        transaction.execute(include_str!("sql/wake.sql"), &[]).await?;
    }
    transaction.commit().await?;
    if mode == Mode::Apply {
        store.wake();
    }
    Ok(report)
}

/// Carries out the next piece of a job, and says up to where that was, unless it was the end. In the caller's transaction.
pub(super) async fn piece(transaction: &Transaction<'_>, job: &Job) -> Result<(OperationReport, Option<Position>)> {
    let (mut report, mut piece) = (OperationReport::default(), Piece::default());
    let mut matches = Matches::new(transaction, &job.filter, Order::OldestFirst, signed(job.upto.seq));
    while piece.goes_on() {
        let Some(mut chunk) = matches.next_chunk().await? else { return Ok((report, None)) };
        chunk.retain(|one| is_part(job, one.position));
        piece.add(chunk.len(), CHUNK as usize);
        carry_out(transaction, job.operation, Mode::Apply, &chunk, &mut report).await?;
    }
    Ok((report, Some(values::position(matches.upto))))
}

/// Counts what an operation applies to among these deliveries and, with [`Mode::Apply`], does it.
async fn carry_out(
    transaction: &Transaction<'_>,
    operation: Operation,
    mode: Mode,
    chunk: &[Listed],
    report: &mut OperationReport,
) -> Result<()> {
    let changes = plan(operation, chunk, report);
    if operation == Operation::Replay {
        let (seqs, destinations) = columns(&changes, |_| true);
        let row = transaction.query_one(include_str!("sql/operate/overtaken.sql"), &[&seqs, &destinations]).await?;
        report.overtaken += unsigned(row.try_get("overtaken")?);
    }
    for effect in [Effect::Restart, Effect::Hasten, Effect::Repeat, Effect::Discard] {
        let (seqs, destinations) = columns(&changes, |change| change.effect == effect);
        if mode == Mode::Apply && !seqs.is_empty() {
            transaction.execute(sql(effect), &[&seqs, &destinations]).await?;
        }
    }
    Ok(())
}

/// One delivery and what becomes of it.
struct Change<'a> {
    effect: Effect,
    seq: i64,
    destination: &'a str,
}

fn plan<'a>(operation: Operation, chunk: &'a [Listed], report: &mut OperationReport) -> Vec<Change<'a>> {
    let mut changes = Vec::new();
    for one in chunk {
        let (Some(destination), Some(status)) = (&one.destination, one.status) else { continue };
        let Some(effect) = effect(operation, status) else {
            report.not_applicable += 1;
            continue;
        };
        report.affected += 1;
        changes.push(Change { effect, seq: signed(one.position.seq), destination });
    }
    changes
}

/// As arrays, for one statement over all of them.
fn columns<'a>(changes: &[Change<'a>], which: impl Fn(&Change<'a>) -> bool) -> (Vec<i64>, Vec<&'a str>) {
    changes.iter().filter(|change| which(change)).map(|change| (change.seq, change.destination)).unzip()
}

/// The statement that changes deliveries.
fn sql(effect: Effect) -> &'static str {
    match effect {
        Effect::Restart => include_str!("sql/operate/restart.sql"),
        Effect::Hasten => include_str!("sql/operate/hasten.sql"),
        Effect::Repeat => include_str!("sql/operate/repeat.sql"),
        Effect::Discard => include_str!("sql/operate/discard.sql"),
    }
}
