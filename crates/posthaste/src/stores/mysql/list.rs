//! Finding deliveries: candidates by the best index there is for a filter, then the whole filter on those.

use std::collections::HashSet;

use mysql_async::prelude::Queryable;
use mysql_async::{Params, Row, Transaction, Value, params};

use super::codec::{self, ByName};
use super::outbox::datetime;
use super::ranges::{self, Range};
use super::{MySql, connection, sequencer};
use crate::error::Result;
use crate::inspect::{Filling, Filter, Listed, Listing, Order, Page};
use crate::stores::access::Access;
use crate::stores::{statement, values};

/// Messages looked at together.
pub(super) const CHUNK: i64 = 500;

/// Messages among which waiting ones are looked for, before they are looked for by keys.
const NEAR: i64 = 2_000;

pub(super) async fn list(store: &MySql, filter: &Filter, page: Page) -> Result<Listing> {
    sequencer::place_new(store).await?;
    let mut connection = store.connection().await?;
    let mut snapshot = connection::snapshot(&mut connection).await?;
    let mut matches = Matches::new(filter, page.order, values::seq(page.beyond));
    let mut filling = Filling::new(page);
    let listing = loop {
        if !filling.wants_more() {
            break filling.stop();
        }
        let Some(chunk) = matches.next_chunk(&mut snapshot).await? else { break filling.end() };
        filling.add(chunk, CHUNK as usize, values::position(matches.upto));
    };
    snapshot.rollback().await?;
    Ok(listing)
}

/// All deliveries that match a filter, chunk by chunk in journal order. May be changed behind its back, chunk by chunk.
pub(super) struct Matches<'a> {
    filter: &'a Filter,
    access: Access,
    order: Order,
    /// Everything up to here was looked at.
    pub(super) upto: i64,
}

impl<'a> Matches<'a> {
    pub(super) fn new(filter: &'a Filter, order: Order, beyond: i64) -> Self {
        Self { filter, access: Access::of(filter, order), order, upto: beyond }
    }

    /// The matches among the next candidates, often none; `None` when there are no more candidates.
    pub(super) async fn next_chunk(&mut self, transaction: &mut Transaction<'_>) -> Result<Option<Vec<Listed>>> {
        let candidates = self.candidates(transaction).await?;
        let Some(&(_, last)) = candidates.last() else { return Ok(None) };
        self.upto = last;
        let seqs = codec::numbers(candidates.iter().map(|(seq, _)| seq));
        self.matching(transaction, &seqs).await.map(Some)
    }

    /// Numbers and positions of the next ones, in journal order.
    async fn candidates(&mut self, transaction: &mut Transaction<'_>) -> Result<Vec<(i64, i64)>> {
        let beyond = self.upto;
        let (sql, params) = match self.access {
            Access::Id => (include_str!("sql/list/by_id.sql"), params! { "beyond" => beyond }),
            Access::Key => {
                (include_str!("sql/list/by_key.sql"), params! { "beyond" => beyond, "key" => &self.filter.key })
            }
            Access::Aggregate => {
                let of = params! { "beyond" => beyond, "aggregate_id" => &self.filter.aggregate_id };
                (include_str!("sql/list/by_aggregate.sql"), of)
            }
            Access::State => {
                let destination = self.filter.destination.as_ref().map(|name| name.as_str());
                (include_str!("sql/list/by_state.sql"), params! { "beyond" => beyond, "destination" => destination })
            }
            Access::Waiting => {
                let near = near_waiting(transaction, self.order, beyond).await?;
                if !near.is_empty() {
                    return Ok(near);
                }
                (include_str!("sql/list/by_waiting.sql"), params! { "beyond" => beyond })
            }
            Access::Pending => {
                let slowest: Option<i64> = transaction.query_first(include_str!("sql/list/slowest.sql")).await?;
                return by_position(transaction, beyond.max(slowest.unwrap_or_default()), CHUNK).await;
            }
            Access::Everything if self.order == Order::NewestFirst => return newest(transaction, beyond, CHUNK).await,
            Access::Everything => return by_position(transaction, beyond, CHUNK).await,
        };
        let sql =
            statement::in_order(sql, self.order).replace("{ids}", &self.ids()).replace("{statuses}", &self.statuses());
        let rows = codec::uncached(transaction, sql.replace("{limit}", &CHUNK.to_string()), params).await?;
        rows.iter().map(|row| Ok((codec::get(row, "seq")?, codec::get(row, "position")?))).collect()
    }

    async fn matching(&self, transaction: &mut Transaction<'_>, seqs: &str) -> Result<Vec<Listed>> {
        let any = |list: String, column: &str| {
            if list.is_empty() { "TRUE".into() } else { format!("{column} IN ({list})") }
        };
        let resolved = |sql: &str| {
            let sql = sql.replace("{seqs}", seqs).replace("{ids}", &any(self.ids(), "id"));
            sql.replace("{statuses}", &any(self.statuses(), "status"))
        };
        let sql = resolved(include_str!("sql/list/matching.sql"));
        let mut rows = codec::uncached(transaction, sql, self.params(true)).await?;
        if self.filter.statuses.is_empty() && self.filter.destination.is_none() && self.filter.error.is_none() {
            let sql = resolved(include_str!("sql/list/untaken.sql"));
            rows.extend(codec::uncached(transaction, sql, self.params(false)).await?);
        }
        let mut listed = rows.iter().map(listed).collect::<Result<Vec<_>>>()?;
        // The others have been in order, and stay so.
        listed.sort_by_key(|one| one.position);
        if self.order == Order::NewestFirst {
            listed.reverse();
        }
        Ok(listed)
    }

    fn params(&self, of_deliveries: bool) -> Params {
        let filter = self.filter;
        let mut named: Vec<(&str, Value)> = vec![
            ("event_type", filter.event_type.as_deref().map(values::like).into()),
            ("key", (&filter.key).into()),
            ("aggregate_type", (&filter.aggregate_type).into()),
            ("aggregate_id", (&filter.aggregate_id).into()),
            ("tenant", (&filter.tenant).into()),
            ("since", filter.since.map(datetime).into()),
            ("before", filter.before.map(datetime).into()),
        ];
        if of_deliveries {
            named.push(("destination", filter.destination.as_ref().map(|name| name.as_str()).into()));
            named.push(("error", filter.error.as_deref().map(values::like).into()));
        }
        Params::from(named)
    }

    fn ids(&self) -> String {
        codec::numbers(self.filter.ids.iter().map(|id| format!("'{id}'")))
    }

    fn statuses(&self) -> String {
        codec::numbers(self.filter.statuses.iter().map(|status| format!("'{}'", status.as_str())))
    }
}

/// Of the next ones of all, those whose key is held. None of them may be, and what is further on is then found by keys: where much waits,
/// all of it would have to be put in order for each chunk.
async fn near_waiting(transaction: &mut Transaction<'_>, order: Order, beyond: i64) -> Result<Vec<(i64, i64)>> {
    let mut near = match order {
        Order::OldestFirst => by_position(transaction, beyond, NEAR).await?,
        Order::NewestFirst => newest(transaction, beyond, NEAR).await?,
    };
    if near.is_empty() {
        return Ok(near);
    }
    let seqs = codec::numbers(near.iter().map(|(seq, _)| seq));
    let held: HashSet<i64> = transaction
        .query(include_str!("sql/list/of_held_keys.sql").replace("{seqs}", &seqs))
        .await?
        .into_iter()
        .collect();
    near.retain(|(seq, _)| held.contains(seq));
    near.truncate(CHUNK as usize);
    Ok(near)
}

/// The next ones of all, range by range.
async fn by_position(transaction: &mut Transaction<'_>, after: i64, most: i64) -> Result<Vec<(i64, i64)>> {
    let found = ranges::find(transaction, after, i64::MAX, most as usize).await?;
    let each = found.ranges.iter().flat_map(|range| (range.first..=range.last).zip(range.position..));
    Ok(each.take(most as usize).collect())
}

/// The newest ones before a position, range by range.
async fn newest(transaction: &mut Transaction<'_>, before: i64, most: i64) -> Result<Vec<(i64, i64)>> {
    let sql = include_str!("sql/list/newest.sql").replace("{limit}", &most.to_string());
    let rows = codec::cached(transaction, sql, params! { "beyond" => before }).await?;
    let mut candidates: Vec<(i64, i64)> = Vec::new();
    for row in &rows {
        if candidates.len() as i64 >= most {
            break;
        }
        if let Some(range) = Range::of(row)?.between(0, before - 1) {
            candidates.extend((range.first..=range.last).rev().map(|seq| (seq, range.position_of(seq))));
        }
    }
    candidates.truncate(most as usize);
    Ok(candidates)
}

fn listed(row: &Row) -> Result<Listed> {
    let status = codec::get::<Option<String>>(row, "status")?.map(|text| values::status(&text)).transpose()?;
    let text = |column| codec::get::<Option<String>>(row, column).map(Option::unwrap_or_default);
    Ok(Listed {
        position: codec::position(row, "position")?,
        id: codec::id(row.as_ref_by_name("id").unwrap_or(&Value::NULL))?,
        event_type: text("event_type")?,
        aggregate_type: text("aggregate_type")?,
        aggregate_id: text("aggregate_id")?,
        key: codec::get(row, "key")?,
        tenant: codec::get(row, "tenant")?,
        occurred_at: codec::timestamp(row, "occurred_at")?.unwrap_or_default(),
        destination: codec::get(row, "destination")?,
        status,
        attempts: codec::get(row, "attempts")?,
        error: codec::get(row, "last_error")?,
        due_at: codec::timestamp(row, "due_at")?,
    })
}
