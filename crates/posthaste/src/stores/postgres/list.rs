//! Finding deliveries: candidates by the best index there is for a filter, then the whole filter on those.
//!
//! In the order of sequence numbers, which is that of the journal but for transactions that were late.

use deadpool_postgres::Transaction;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::codec;
use crate::error::{Error, Kind, Result};
use crate::inspect::{Filter, Listed, Page, Status};
use crate::message::MessageId;

/// Messages looked at together.
const CHUNK: i64 = 500;

pub(super) async fn list(snapshot: &Transaction<'_>, filter: &Filter, page: Page) -> Result<Vec<Listed>> {
    let mut matches = Matches::new(snapshot, filter, codec::signed(page.after.seq));
    let mut listed: Vec<Listed> = Vec::new();
    while listed.len() < page.limit
        && let Some(chunk) = matches.next_chunk().await?
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

/// All deliveries that match a filter, chunk by chunk. May be changed behind its back, chunk by chunk.
pub(super) struct Matches<'a> {
    snapshot: &'a Transaction<'a>,
    filter: &'a Filter,
    statuses: Option<Vec<&'static str>>,
    ids: Option<Vec<Uuid>>,
    access: Access,
    after: i64,
}

impl<'a> Matches<'a> {
    pub(super) fn new(snapshot: &'a Transaction<'a>, filter: &'a Filter, after: i64) -> Self {
        let statuses: Vec<_> = filter.statuses.iter().map(|status| status.as_str()).collect();
        let ids: Vec<_> = filter.ids.iter().map(|id| id.0).collect();
        let (statuses, ids) =
            (Some(statuses).filter(|some| !some.is_empty()), Some(ids).filter(|some| !some.is_empty()));
        Self { snapshot, filter, statuses, ids, access: Access::of(filter), after }
    }

    /// The matches among the next candidates, often none; `None` when there are no more candidates.
    pub(super) async fn next_chunk(&mut self) -> Result<Option<Vec<Listed>>> {
        let seqs = self.candidates().await?;
        let Some(&last) = seqs.last() else { return Ok(None) };
        self.after = last;
        self.matching(&seqs).await.map(Some)
    }

    async fn candidates(&self) -> Result<Vec<i64>> {
        let (sql, value): (_, Option<&(dyn ToSql + Sync)>) = match self.access {
            Access::Id => (include_str!("list_by_id.sql"), Some(&self.ids)),
            Access::Key => (include_str!("list_by_key.sql"), Some(&self.filter.key)),
            Access::Aggregate => (include_str!("list_by_aggregate.sql"), Some(&self.filter.aggregate_id)),
            Access::State => (include_str!("list_by_state.sql"), Some(&self.statuses)),
            Access::Waiting => (include_str!("list_by_waiting.sql"), None),
            Access::Pending => (include_str!("list_by_pending.sql"), None),
            Access::Everything => (include_str!("list_by_seq.sql"), None),
        };
        let statement = self.snapshot.prepare_cached(sql).await?;
        let mut params: Vec<&(dyn ToSql + Sync)> = vec![&self.after, &CHUNK];
        params.extend(value);
        let rows = self.snapshot.query(&statement, &params).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    async fn matching(&self, seqs: &[i64]) -> Result<Vec<Listed>> {
        let filter = self.filter;
        let statement = self.snapshot.prepare_cached(include_str!("list.sql")).await?;
        let rows = self
            .snapshot
            .query(
                &statement,
                &[
                    &seqs,
                    &self.statuses,
                    &filter.destination.as_ref().map(|name| name.as_str()),
                    &self.ids,
                    &filter.event_type.as_deref().map(codec::like),
                    &filter.key,
                    &filter.aggregate_type,
                    &filter.aggregate_id,
                    &filter.tenant,
                    &filter.since,
                    &filter.before,
                ],
            )
            .await?;
        rows.iter().map(listed).collect()
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

fn listed(row: &Row) -> Result<Listed> {
    let status: Option<&str> = row.try_get(10)?;
    let attempts: i32 = row.try_get(11)?;
    Ok(Listed {
        position: codec::position(row.try_get(0)?, row.try_get(1)?),
        id: MessageId(row.try_get(2)?),
        event_type: row.try_get(3)?,
        aggregate_type: row.try_get(4)?,
        aggregate_id: row.try_get(5)?,
        key: row.try_get(6)?,
        tenant: row.try_get(7)?,
        occurred_at: codec::timestamp(row, 8)?.unwrap_or_default(),
        destination: row.try_get(9)?,
        status: status.map(self::status).transpose()?,
        attempts: u32::try_from(attempts).unwrap_or(0),
        error: row.try_get(12)?,
        due_at: codec::timestamp(row, 13)?,
    })
}

pub(super) fn status(text: &str) -> Result<Status> {
    Status::parse(text).ok_or_else(|| Error::new(Kind::Corrupt, format!("a delivery has the status `{text}`")))
}
