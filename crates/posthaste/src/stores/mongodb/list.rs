//! Finding deliveries: candidates by the best index there is for a filter, then the whole filter on those.

use mongodb::ClientSession;
use mongodb::bson::doc;

use self::candidates::Candidates;
use super::codec::{self, Row};
use super::db::Db;
use super::progress::{Of, Progress};
use super::retry::in_snapshot;
use super::state::State;
use super::{MongoDb, sequencer};
use crate::error::Result;
use crate::inspect::{Filling, Filter, Listed, Listing, Order, Page};
use crate::rules::route;

mod candidates;

/// Messages read together.
pub(super) const CHUNK: i64 = 500;

pub(super) async fn list(store: &MongoDb, filter: &Filter, page: Page) -> Result<Listing> {
    // What was committed can be listed, numbered or not.
    sequencer::number_new(store).await?;
    let db = store.db();
    in_snapshot!(db, session => list_page(db, &mut session, filter, page))
}

async fn list_page(db: &Db, session: &mut ClientSession, filter: &Filter, page: Page) -> Result<Listing> {
    let mut matches = Matches::new(db, filter, page.order, codec::seq(page.beyond), session).await?;
    let mut filling = Filling::new(page);
    while filling.wants_more() {
        let Some(chunk) = matches.next_chunk(session).await? else { return Ok(filling.end()) };
        let found = chunk.matches.into_iter().map(|one| one.listed).collect();
        filling.add(found, CHUNK as usize, codec::position(matches.upto));
    }
    Ok(filling.stop())
}

/// A delivery that matches, with its message.
pub(super) struct Match {
    pub(super) listed: Listed,
    pub(super) row: Row,
}

/// Some of the deliveries that match, and how far the lanes are that they belong to.
pub(super) struct Chunk {
    pub(super) matches: Vec<Match>,
    pub(super) progress: Progress,
}

/// All deliveries that match a filter, chunk by chunk in journal order.
pub(super) struct Matches<'a> {
    db: &'a Db,
    filter: &'a Filter,
    candidates: Candidates,
    newest: i64,
    order: Order,
    /// Everything up to here was looked at.
    pub(super) upto: i64,
}

impl<'a> Matches<'a> {
    pub(super) async fn new(
        db: &'a Db,
        filter: &'a Filter,
        order: Order,
        beyond: i64,
        session: &mut ClientSession,
    ) -> Result<Self> {
        let newest = State::load(db, session).await?.newest;
        let candidates = Candidates::of(db, filter, session).await?;
        Ok(Self { db, filter, candidates, newest, order, upto: beyond.max(0) })
    }

    /// The matches among the next candidates, often none; `None` when there are no more candidates.
    pub(super) async fn next_chunk(&mut self, session: &mut ClientSession) -> Result<Option<Chunk>> {
        let (span, direction) = match self.order {
            Order::OldestFirst => (doc! { "$gt": self.upto, "$lte": self.newest }, 1),
            Order::NewestFirst => (doc! { "$gt": 0i64, "$lt": self.upto.min(self.newest.saturating_add(1)) }, -1),
        };
        let (rows, upto) = self.candidates.next(self.db, session, span, direction).await?;
        let Some(upto) = upto else { return Ok(None) };
        self.upto = upto;
        let progress = Progress::load(self.db, session, Of::These(&rows)).await?;
        let matches = rows.iter().flat_map(|row| self.matching(&progress, row)).collect();
        Ok(Some(Chunk { matches, progress }))
    }

    fn matching(&self, progress: &Progress, row: &Row) -> Vec<Match> {
        let by_pattern = |pattern: &String| route::matches(pattern, &row.message.event_type);
        if !self.filter.event_type.as_ref().is_none_or(by_pattern) {
            return Vec::new();
        }
        let mut takers: Vec<Option<usize>> = progress.takers(&row.message).map(Some).collect();
        if takers.is_empty() {
            takers.push(None);
        }
        let listed = takers.into_iter().map(|place| listed(progress, place, row)).filter(|one| self.selects(one));
        listed.map(|listed| Match { listed, row: row.clone() }).collect()
    }

    /// The part of the filter that is about the delivery; the rest the server has applied.
    fn selects(&self, one: &Listed) -> bool {
        let wanted = &self.filter.statuses;
        let of_status = wanted.is_empty() || one.status.is_some_and(|status| wanted.contains(&status));
        let at = self.filter.destination.as_ref();
        of_status
            && at.is_none_or(|name| one.destination.as_deref() == Some(name.as_str()))
            && self
                .filter
                .error
                .as_ref()
                .is_none_or(|pattern| one.error.as_ref().is_some_and(|error| route::matches(pattern, error)))
    }
}

fn listed(progress: &Progress, place: Option<usize>, row: &Row) -> Listed {
    let message = &row.message;
    let parked = place.and_then(|place| progress.parked(place, row.seq));
    Listed {
        position: codec::position(row.seq),
        id: message.id,
        event_type: message.event_type.to_string(),
        aggregate_type: message.aggregate_type.to_string(),
        aggregate_id: message.aggregate_id.to_string(),
        key: message.key.as_ref().map(ToString::to_string),
        tenant: message.tenant.as_ref().map(ToString::to_string),
        occurred_at: message.occurred_at,
        destination: place.map(|place| progress.destinations[place].name.to_string()),
        status: place.map(|place| progress.status(place, row)),
        attempts: parked.map_or(0, |parked| parked.attempts),
        error: parked.and_then(|parked| parked.error.clone()),
        due_at: place.and_then(|place| progress.due_at(place, row)),
    }
}
