//! Finding deliveries: candidates by the best index there is for a filter, then the whole filter on those.

use rusqlite::{Connection, Row, ToSql, named_params};

use super::{Sqlite, codec};
use crate::error::Result;
use crate::inspect::{Filling, Filter, Listed, Listing, Order, Page};
use crate::message::MessageId;
use crate::stores::access::Access;
use crate::stores::{statement, values};

/// Messages looked at together.
pub(super) const CHUNK: i64 = 500;

pub(super) async fn list(store: &Sqlite, filter: &Filter, page: Page) -> Result<Listing> {
    let filter = filter.clone();
    store.inspecting(move |connection| page_of(connection, &filter, page)).await
}

fn page_of(connection: &Connection, filter: &Filter, page: Page) -> Result<Listing> {
    let snapshot = connection.unchecked_transaction()?;
    let mut matches = Matches::new(&snapshot, filter, page.order, values::seq(page.beyond))?;
    let mut filling = Filling::new(page);
    while filling.wants_more() {
        let Some(chunk) = matches.next_chunk()? else { return Ok(filling.end()) };
        filling.add(chunk, CHUNK as usize, values::position(matches.upto));
    }
    Ok(filling.stop())
}

/// All deliveries that match a filter, chunk by chunk in journal order. May be changed behind its back, chunk by chunk.
pub(super) struct Matches<'a> {
    connection: &'a Connection,
    filter: &'a Filter,
    statuses: Option<String>,
    ids: Option<String>,
    access: Access,
    order: Order,
    /// Everything up to here was looked at.
    pub(super) upto: i64,
}

impl<'a> Matches<'a> {
    pub(super) fn new(connection: &'a Connection, filter: &'a Filter, order: Order, beyond: i64) -> Result<Self> {
        let statuses = some_json(&filter.statuses)?;
        let ids = some_json(&filter.ids.iter().map(MessageId::to_string).collect::<Vec<_>>())?;
        Ok(Self { connection, filter, statuses, ids, access: Access::of(filter, order), order, upto: beyond })
    }

    /// The matches among the next candidates, often none; `None` when there are no more candidates.
    pub(super) fn next_chunk(&mut self) -> Result<Option<Vec<Listed>>> {
        let seqs = self.candidates()?;
        let Some(&last) = seqs.last() else { return Ok(None) };
        self.upto = last;
        let mut found = self.matching(&seqs)?;
        if self.order == Order::NewestFirst {
            found.reverse();
        }
        Ok(Some(found))
    }

    fn candidates(&self) -> Result<Vec<i64>> {
        let destination = self.filter.destination.as_ref().map(|name| name.as_str());
        let (sql, name, value): (_, _, &dyn ToSql) = match self.access {
            Access::Id => (include_str!("sql/list/by_id.sql"), ":ids", &self.ids),
            Access::Key => (include_str!("sql/list/by_key.sql"), ":key", &self.filter.key),
            Access::Aggregate => {
                (include_str!("sql/list/by_aggregate.sql"), ":aggregate_id", &self.filter.aggregate_id)
            }
            Access::State => (include_str!("sql/list/by_state.sql"), ":states", &self.statuses),
            Access::Waiting => (include_str!("sql/list/by_waiting.sql"), ":beyond", &self.upto),
            Access::Pending => (include_str!("sql/list/by_pending.sql"), ":beyond", &self.upto),
            Access::Everything => (include_str!("sql/list/by_seq.sql"), ":beyond", &self.upto),
        };
        let mut statement = self.connection.prepare_cached(&statement::in_order(sql, self.order))?;
        let mut params: Vec<(&str, &dyn ToSql)> = vec![(":beyond", &self.upto), (":limit", &CHUNK), (name, value)];
        if self.access == Access::State {
            params.push((":destination", &destination));
        }
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
            ":error": filter.error.as_deref().map(codec::glob),
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
