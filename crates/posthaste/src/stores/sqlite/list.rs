//! Finding deliveries: candidates by the best index there is for a filter, then the whole filter on those.

use rusqlite::{Connection, Row, ToSql, named_params};

use super::codec;
use super::register::glob;
use crate::error::{Error, Kind, Result};
use crate::inspect::{Filter, Listed, Page, Status};
use crate::message::MessageId;

/// Messages looked at together.
const CHUNK: i64 = 500;

pub(super) fn list(connection: &Connection, filter: &Filter, page: Page) -> Result<Vec<Listed>> {
    let snapshot = connection.unchecked_transaction()?;
    let mut matches = Matches::new(&snapshot, filter, codec::seq(page.after))?;
    let mut listed: Vec<Listed> = Vec::new();
    while listed.len() < page.limit
        && let Some(chunk) = matches.next_chunk()?
    {
        for one in chunk {
            // The deliveries of one message stay on one page, so that the next one can start after a position.
            if listed.len() >= page.limit && listed.last().is_some_and(|last| last.position != one.position) {
                return Ok(listed);
            }
            listed.push(one);
        }
    }
    Ok(listed)
}

/// All deliveries that match a filter, chunk by chunk in journal order. May be changed behind its back, chunk by chunk.
pub(super) struct Matches<'a> {
    connection: &'a Connection,
    filter: &'a Filter,
    statuses: Option<String>,
    ids: Option<String>,
    access: Access,
    after: i64,
}

impl<'a> Matches<'a> {
    pub(super) fn new(connection: &'a Connection, filter: &'a Filter, after: i64) -> Result<Self> {
        let statuses = some_json(&filter.statuses)?;
        let ids = some_json(&filter.ids.iter().map(MessageId::to_string).collect::<Vec<_>>())?;
        Ok(Self { connection, filter, statuses, ids, access: Access::of(filter), after })
    }

    /// The matches among the next candidates, often none; `None` when there are no more candidates.
    pub(super) fn next_chunk(&mut self) -> Result<Option<Vec<Listed>>> {
        let seqs = self.candidates()?;
        let Some(&last) = seqs.last() else { return Ok(None) };
        self.after = last;
        self.matching(&seqs).map(Some)
    }

    fn candidates(&self) -> Result<Vec<i64>> {
        let (sql, name, value): (_, _, &dyn ToSql) = match self.access {
            Access::Id => (include_str!("list_by_id.sql"), ":ids", &self.ids),
            Access::Key => (include_str!("list_by_key.sql"), ":key", &self.filter.key),
            Access::Aggregate => (include_str!("list_by_aggregate.sql"), ":aggregate_id", &self.filter.aggregate_id),
            Access::State => (include_str!("list_by_state.sql"), ":states", &self.statuses),
            Access::Waiting => (include_str!("list_by_waiting.sql"), ":after", &self.after),
            Access::Pending => (include_str!("list_by_pending.sql"), ":after", &self.after),
            Access::Everything => (include_str!("list_by_seq.sql"), ":after", &self.after),
        };
        let mut statement = self.connection.prepare_cached(sql)?;
        let params: [(&str, &dyn ToSql); 3] = [(":after", &self.after), (":limit", &CHUNK), (name, value)];
        let seqs = statement.query_map(&params[..], |row| row.get(0))?;
        Ok(seqs.collect::<Result<_, _>>()?)
    }

    fn matching(&self, seqs: &[i64]) -> Result<Vec<Listed>> {
        let filter = self.filter;
        let mut statement = self.connection.prepare_cached(include_str!("list.sql"))?;
        let rows = statement.query(named_params! {
            ":seqs": codec::json(seqs)?,
            ":statuses": self.statuses,
            ":destination": filter.destination.as_ref().map(|name| name.as_str()),
            ":ids": self.ids,
            ":event_type": filter.event_type.as_deref().map(glob),
            ":key": filter.key,
            ":aggregate_type": filter.aggregate_type,
            ":aggregate_id": filter.aggregate_id,
            ":tenant": filter.tenant,
            ":since": filter.since.map(|at| at.as_millisecond()),
            ":before": filter.before.map(|at| at.as_millisecond()),
        })?;
        rows.and_then(listed).collect()
    }
}

/// By which index candidates are found.
#[derive(Debug, Clone, Copy)]
enum Access {
    Id,
    Key,
    Aggregate,
    State,
    Waiting,
    Pending,
    Everything,
}

impl Access {
    fn of(filter: &Filter) -> Self {
        let is_parked = |status: &Status| !matches!(status, Status::Pending | Status::Delivered | Status::Waiting);
        match filter.statuses.as_slice() {
            _ if !filter.ids.is_empty() => Self::Id,
            _ if filter.key.is_some() => Self::Key,
            _ if filter.aggregate_id.is_some() => Self::Aggregate,
            [Status::Waiting] => Self::Waiting,
            [Status::Pending] => Self::Pending,
            statuses if !statuses.is_empty() && statuses.iter().all(is_parked) => Self::State,
            _ => Self::Everything,
        }
    }
}

/// No list at all where nothing shall be restricted.
fn some_json<T: serde::Serialize>(list: &[T]) -> Result<Option<String>> {
    if list.is_empty() { Ok(None) } else { codec::json(list).map(Some) }
}

fn listed(row: &Row<'_>) -> Result<Listed> {
    let status = codec::text(row, 9)?.map(|text| status(&text)).transpose()?;
    Ok(Listed {
        position: codec::position(row.get(0)?),
        id: codec::id(row, 1)?,
        event_type: codec::text(row, 2)?.unwrap_or_default(),
        aggregate_type: codec::text(row, 3)?.unwrap_or_default(),
        aggregate_id: codec::text(row, 4)?.unwrap_or_default(),
        key: codec::text(row, 5)?,
        tenant: codec::text(row, 6)?,
        occurred_at: codec::timestamp(row.get(7)?),
        destination: codec::text(row, 8)?,
        status,
        attempts: row.get(10)?,
        error: codec::text(row, 11)?,
        due_at: row.get::<_, Option<i64>>(12)?.map(codec::timestamp),
    })
}

pub(super) fn status(text: &str) -> Result<Status> {
    Status::parse(text).ok_or_else(|| Error::new(Kind::Corrupt, format!("a delivery has the status `{text}`")))
}
