//! What an operator may do to deliveries. Never touches a cursor: the holder of the lane picks the change up by `due`.

use super::Postgres;
use super::list::Matches;
use super::session::{Statements, Transaction};
use crate::error::Result;
use crate::inspect::{Filter, Listed, Mode, Operation, OperationReport, Order};
use crate::rules::operation::{Effect, effect};
use crate::stores::values::signed;

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
        for change in plan(&transaction, operation, &chunk, &mut report).await? {
            if mode == Mode::Apply {
                transaction.execute(sql(change.effect), &[&change.seq, &change.destination]).await?;
            }
        }
    }
    transaction.commit().await?;
    if mode == Mode::Apply {
        store.wake();
    }
    Ok(report)
}

/// One delivery and what becomes of it.
struct Change<'a> {
    effect: Effect,
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
        let Some(effect) = effect(operation, status) else {
            report.not_applicable += 1;
            continue;
        };
        let seq = signed(one.position.seq);
        report.affected += 1;
        if operation == Operation::Replay {
            report.overtaken += u64::from(is_overtaken(transaction, seq, destination).await?);
        }
        changes.push(Change { effect, seq, destination });
    }
    Ok(changes)
}

/// The statement that changes one delivery.
fn sql(effect: Effect) -> &'static str {
    match effect {
        Effect::Restart => include_str!("sql/operate/restart.sql"),
        Effect::Hasten => include_str!("sql/operate/hasten.sql"),
        Effect::Repeat => include_str!("sql/operate/repeat.sql"),
        Effect::Discard => include_str!("sql/operate/discard.sql"),
    }
}

async fn is_overtaken(transaction: &Transaction<'_>, seq: i64, destination: &str) -> Result<bool> {
    Ok(transaction
        .query_one(include_str!("sql/operate/overtaken.sql"), &[&seq, &destination])
        .await?
        .try_get("is_overtaken")?)
}
