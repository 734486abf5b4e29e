//! Finding deliveries: candidates by the best index there is for a filter, then the whole filter on those.
//!
//! In the order of sequence numbers, which is that of the journal but for transactions that were late.

use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::session::{Statements, Transaction};
use super::{Postgres, codec};
use crate::error::Result;
use crate::inspect::{Filling, Filter, Listed, Listing, Order, Page};
use crate::message::MessageId;
use crate::stores::access::Access;
use crate::stores::{statement, values};

/// Messages considered together.
pub(super) const CHUNK: i64 = 500;

pub(super) async fn list(store: &Postgres, filter: &Filter, page: Page) -> Result<Listing> {
    let mut client = store.client().await?;
    let snapshot = client.snapshot().await?;
    let mut matches = Matches::new(&snapshot, filter, page.order, values::signed(page.beyond.seq));
    let mut filling = Filling::new(page);
    while filling.wants_more() {
        let Some(chunk) = matches.next_chunk().await? else { return Ok(filling.end()) };
        filling.add(chunk, CHUNK as usize, values::position(matches.upto));
    }
    Ok(filling.stop())
}

/// All deliveries that match a filter, chunk by chunk. Whoever gets a chunk may change its deliveries before the next one.
pub(super) struct Matches<'a> {
    snapshot: &'a Transaction<'a>,
    filter: &'a Filter,
    statuses: Option<Vec<&'static str>>,
    ids: Option<Vec<Uuid>>,
    access: Access,
    order: Order,
    /// Everything up to here was looked at.
    pub(super) upto: i64,
}

impl<'a> Matches<'a> {
    pub(super) fn new(snapshot: &'a Transaction<'a>, filter: &'a Filter, order: Order, beyond: i64) -> Self {
        let statuses: Vec<_> = filter.statuses.iter().map(|status| status.as_str()).collect();
        let ids: Vec<_> = filter.ids.iter().map(|id| id.0).collect();
        let (statuses, ids) =
            (Some(statuses).filter(|some| !some.is_empty()), Some(ids).filter(|some| !some.is_empty()));
        Self { snapshot, filter, statuses, ids, access: Access::of(filter, order), order, upto: beyond }
    }

    /// The matches among the next candidates, often none; `None` when there are no more candidates.
    pub(super) async fn next_chunk(&mut self) -> Result<Option<Vec<Listed>>> {
        let seqs = self.candidates().await?;
        let Some(&last) = seqs.last() else { return Ok(None) };
        self.upto = last;
        let mut found = self.matching(&seqs).await?;
        if self.order == Order::NewestFirst {
            found.reverse();
        }
        Ok(Some(found))
    }

    async fn candidates(&self) -> Result<Vec<i64>> {
        let destination = self.filter.destination.as_ref().map(|name| name.as_str());
        let (sql, values): (_, Vec<&(dyn ToSql + Sync)>) = match self.access {
            Access::Id => (include_str!("sql/list/by_id.sql"), vec![&self.ids]),
            Access::Key => (include_str!("sql/list/by_key.sql"), vec![&self.filter.key]),
            Access::Aggregate => (include_str!("sql/list/by_aggregate.sql"), vec![&self.filter.aggregate_id]),
            Access::State => (include_str!("sql/list/by_state.sql"), vec![&self.statuses, &destination]),
            Access::Waiting => (include_str!("sql/list/by_waiting.sql"), vec![]),
            Access::Pending => (include_str!("sql/list/by_pending.sql"), vec![]),
            Access::Everything => (include_str!("sql/list/by_seq.sql"), vec![]),
        };
        let mut params: Vec<&(dyn ToSql + Sync)> = vec![&self.upto, &CHUNK];
        params.extend(values);
        let rows = self.snapshot.query(&statement::in_order(sql, self.order), &params).await?;
        rows.iter().map(|row| Ok(row.try_get("seq")?)).collect()
    }

    async fn matching(&self, seqs: &[i64]) -> Result<Vec<Listed>> {
        let filter = self.filter;
        let rows = self
            .snapshot
            .query(
                include_str!("sql/list/matching.sql"),
                &[
                    &seqs,
                    &self.statuses,
                    &filter.destination.as_ref().map(|name| name.as_str()),
                    &self.ids,
                    &filter.event_type.as_deref().map(values::like),
                    &filter.key,
                    &filter.aggregate_type,
                    &filter.aggregate_id,
                    &filter.tenant,
                    &filter.since,
                    &filter.before,
                    &filter.error.as_deref().map(values::like),
                ],
            )
            .await?;
        rows.iter().map(listed).collect()
    }
}

fn listed(row: &Row) -> Result<Listed> {
    let status: Option<&str> = row.try_get("status")?;
    Ok(Listed {
        position: codec::position(row.try_get("tick")?, row.try_get("seq")?),
        id: MessageId(row.try_get("id")?),
        event_type: row.try_get("event_type")?,
        aggregate_type: row.try_get("aggregate_type")?,
        aggregate_id: row.try_get("aggregate_id")?,
        key: row.try_get("key")?,
        tenant: row.try_get("tenant")?,
        occurred_at: codec::timestamp(row, "occurred_at")?.unwrap_or_default(),
        destination: row.try_get("destination")?,
        status: status.map(values::status).transpose()?,
        attempts: codec::count(row, "attempts")?,
        error: row.try_get("last_error")?,
        due_at: codec::timestamp(row, "due_at")?,
    })
}
