//! What receivers say about what they were handed. Never touches a cursor: the holder of the lane picks the answer up by `due`.

use rusqlite::{Connection, OptionalExtension, named_params};

use super::{Sqlite, codec, get, register};
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{Answer, Settled};
use crate::message::MessageId;
use crate::rules::callback;
use crate::rules::due::due_in;

pub(super) async fn settle(store: &Sqlite, id: MessageId, destination: &Name, answer: &Answer) -> Result<Settled> {
    let (name, given) = (destination.clone(), answer.clone());
    let settled = store.writing(move |transaction| take(transaction, id, &name, &given)).await?;
    if settled == Some(Settled::Taken) {
        store.wake();
    }
    let Some(settled) = settled else {
        let report = get::get(store, id).await?;
        return Ok(callback::unawaited(report.and_then(|report| report.status_at(destination)), &answer.says));
    };
    Ok(settled)
}

/// `None` if no hand-over waits.
fn take(transaction: &Connection, id: MessageId, destination: &Name, answer: &Answer) -> Result<Option<Settled>> {
    register::known(transaction, destination)?;
    let now = codec::now();
    let mut awaiting = transaction.prepare_cached(include_str!("sql/settle/awaiting.sql"))?;
    let of = named_params! { ":id": id.to_string(), ":destination": destination.as_str() };
    let found = awaiting
        .query_row(of, |row| Ok((row.get::<_, i64>("seq")?, row.get("due_at")?, row.get::<_, Vec<u8>>("progress")?)));
    let Some((seq, due_at, record)) = found.optional()? else { return Ok(None) };
    let record = match callback::answer(Some(&record), due_in(due_at, now), answer) {
        Ok(record) => record,
        Err(settled) => return Ok(Some(settled)),
    };
    let written = named_params! {
        ":seq": seq, ":destination": destination.as_str(), ":progress": record, ":now": now
    };
    transaction.prepare_cached(include_str!("sql/settle/answer.sql"))?.execute(written)?;
    Ok(Some(Settled::Taken))
}
