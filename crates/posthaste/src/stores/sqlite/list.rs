//! Finding deliveries: candidates by the best index there is for a filter, then the whole filter on those.

use rusqlite::{Connection, Row, ToSql, named_params};

use super::{Sqlite, codec};
use crate::error::Result;
use crate::inspect::{Filter, Listed, Page};
use crate::message::MessageId;
use crate::stores::access::Access;
use crate::stores::values;

/// Messages looked at together.
const CHUNK: i64 = 500;

pub(super) async fn list(store: &Sqlite, filter: &Filter, page: Page) -> Result<Vec<Listed>> {
    let filter = filter.clone();
    store.inspecting(move |connection| page_of(connection, &filter, page)).await
}

fn page_of(connection: &Connection, filter: &Filter, page: Page) -> Result<Vec<Listed>> {
    let snapshot = connection.unchecked_transaction()?;
    let mut matches = Matches::new(&snapshot, filter, values::seq(page.after))?;
    let mut listed: Vec<Listed> = Vec::new();
    while listed.len() < page.limit
        && let Some(chunk) = matches.next_chunk()?
    {
        for one in chunk {
            if !page.add(&mut listed, one) {
                return Ok(listed);
            }
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
            Access::Id => (include_str!("sql/list/by_id.sql"), ":ids", &self.ids),
            Access::Key => (include_str!("sql/list/by_key.sql"), ":key", &self.filter.key),
            Access::Aggregate => {
                (include_str!("sql/list/by_aggregate.sql"), ":aggregate_id", &self.filter.aggregate_id)
            }
            Access::State => (include_str!("sql/list/by_state.sql"), ":states", &self.statuses),
            Access::Waiting => (include_str!("sql/list/by_waiting.sql"), ":after", &self.after),
            Access::Pending => (include_str!("sql/list/by_pending.sql"), ":after", &self.after),
            Access::Everything => (include_str!("sql/list/by_seq.sql"), ":after", &self.after),
        };
        let mut statement = self.connection.prepare_cached(sql)?;
        let params: [(&str, &dyn ToSql); 3] = [(":after", &self.after), (":limit", &CHUNK), (name, value)];
        let seqs = statement.query_map(&params[..], |row| row.get("seq"))?;
        Ok(seqs.collect::<Result<_, _>>()?)
    }

    fn matching(&self, seqs: &[i64]) -> Result<Vec<Listed>> {
        let filter = self.filter;
        let mut statement = self.connection.prepare_cached(include_str!("sql/list/matching.sql"))?;
        let rows = statement.query(named_params! {
            ":seqs": codec::json(seqs)?,
            ":statuses": self.statuses,
            ":destination": filter.destination.as_ref().map(|name| name.as_str()),
            ":ids": self.ids,
            ":event_type": filter.event_type.as_deref().map(codec::glob),
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

/// No list at all where nothing shall be restricted.
fn some_json<T: serde::Serialize>(list: &[T]) -> Result<Option<String>> {
    if list.is_empty() { Ok(None) } else { codec::json(list).map(Some) }
}

fn listed(row: &Row<'_>) -> Result<Listed> {
    let status = codec::text(row, "status")?.map(|text| values::status(&text)).transpose()?;
    Ok(Listed {
        position: values::position(row.get("seq")?),
        id: codec::id(row, "id")?,
        event_type: codec::text(row, "event_type")?.unwrap_or_default(),
        aggregate_type: codec::text(row, "aggregate_type")?.unwrap_or_default(),
        aggregate_id: codec::text(row, "aggregate_id")?.unwrap_or_default(),
        key: codec::text(row, "key")?,
        tenant: codec::text(row, "tenant")?,
        occurred_at: values::timestamp(row.get("occurred_at")?),
        destination: codec::text(row, "destination")?,
        status,
        attempts: row.get("attempts")?,
        error: codec::text(row, "last_error")?,
        due_at: row.get::<_, Option<i64>>("due_at")?.map(values::timestamp),
    })
}
