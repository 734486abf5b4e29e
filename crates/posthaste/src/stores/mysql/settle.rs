//! What receivers say about what they were handed. Never touches a cursor: the holder of the lane picks the answer up by `due`.

use mysql_async::prelude::Queryable;
use mysql_async::{Row, params};

use super::{MySql, codec, get, register};
use crate::destination::Name;
use crate::error::Result;
use crate::inspect::{Answer, Settled};
use crate::message::MessageId;
use crate::rules::callback;
use crate::rules::due::due_in;

pub(super) async fn settle(store: &MySql, id: MessageId, destination: &Name, answer: &Answer) -> Result<Settled> {
    if let Some(settled) = take(store, id, destination, answer).await? {
        return Ok(settled);
    }
    let report = get::get(store, id).await?;
    Ok(callback::unawaited(report.and_then(|report| report.status_at(destination)), &answer.says))
}

/// `None` if no hand-over waits. Looks again whenever somebody else was faster.
async fn take(store: &MySql, id: MessageId, destination: &Name, answer: &Answer) -> Result<Option<Settled>> {
    let mut connection = store.connection().await?;
    register::known(&mut connection, destination).await?;
    loop {
        let of = params! { "id" => id.to_string(), "destination" => destination.as_str() };
        let found: Option<Row> = connection.exec_first(include_str!("sql/settle/awaiting.sql"), of).await?;
        let Some(row) = found else { return Ok(None) };
        let before: Vec<u8> = codec::get(&row, "progress")?;
        let left = due_in(codec::get(&row, "left_ms")?, 0);
        let record = match callback::answer(Some(&before), left, answer) {
            Ok(record) => record,
            Err(settled) => return Ok(Some(settled)),
        };
        let position: i64 = codec::get(&row, "position")?;
        let written = params! {
            "position" => position, "destination" => destination.as_str(), "before" => before, "progress" => record
        };
        connection.exec_drop(include_str!("sql/settle/answer.sql"), written).await?;
        if connection.affected_rows() == 1 {
            connection.query_drop(include_str!("sql/wake.sql")).await?;
            store.wake();
            return Ok(Some(Settled::Taken));
        }
    }
}
