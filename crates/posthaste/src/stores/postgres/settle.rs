//! What receivers say about what they were handed. Never touches a cursor: the holder of the lane picks the answer up by `due`.

use super::session::Statements;
use super::{Postgres, get, register};
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{Answer, Settled};
use crate::message::MessageId;
use crate::rules::callback;
use crate::rules::due::due_in;

pub(super) async fn settle(store: &Postgres, id: MessageId, destination: &Name, answer: &Answer) -> Result<Settled> {
    if let Some(settled) = take(store, id, destination, answer).await? {
        return Ok(settled);
    }
    let report = get::get(store, id).await?;
    Ok(callback::unawaited(report.and_then(|report| report.status_at(destination)), &answer.says))
}

/// `None` if no hand-over waits. Looks again whenever somebody else was faster.
async fn take(store: &Postgres, id: MessageId, destination: &Name, answer: &Answer) -> Result<Option<Settled>> {
    let client = store.client().await?;
    register::check_known(&client, destination).await?;
    let name = destination.as_str();
    loop {
        let found = client.query_opt(include_str!("sql/settle/awaiting.sql"), &[&id.0, &name]).await?;
        let Some(row) = found else { return Ok(None) };
        let (seq, before): (i64, Vec<u8>) = (row.try_get("seq")?, row.try_get("progress")?);
        let left = due_in(row.try_get("left_ms")?, 0);
        let record = match callback::answer(Some(&before), left, answer) {
            Ok(record) => record,
            Err(settled) => return Ok(Some(settled)),
        };
        if client.execute(include_str!("sql/settle/answer.sql"), &[&seq, &name, &before, &record]).await? == 1 {
            client.execute(include_str!("sql/wake.sql"), &[]).await?;
            store.wake();
            return Ok(Some(Settled::Taken));
        }
    }
}
