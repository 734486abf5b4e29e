//! Counting deliveries by status: one walk over the messages beyond the slowest cursor, with everything exceptional in memory.

use std::collections::HashSet;

use mongodb::ClientSession;
use mongodb::bson::doc;

use super::codec::{self, Row};
use super::db::Db;
use super::read;
use super::standing::Standing;
use crate::error::Result;
use crate::inspect::{DestinationCounts, Status};
use crate::journal::ParkedState;

/// Counts for every destination that is named, in the snapshot of the session.
pub(super) async fn take(db: &Db, session: &mut ClientSession, now: i64) -> Result<Vec<DestinationCounts>> {
    let standing = Standing::load(db, session, None).await?;
    let mut census = Census { counts: named(&standing), now, counted: HashSet::new(), standing: &standing };
    census.count_parked();
    for (place, held) in standing.all_held() {
        census.counts[place].held_keys += 1;
        let mut span = read::of_key(db, held);
        span.insert("posthaste.seq", doc! { "$gt": codec::seq(held.after), "$lte": codec::seq(held.until) });
        for row in read::rows(db, session, span, None, false).await? {
            census.count(&row, Some(place));
        }
    }
    let slowest = standing.slowest();
    let beyond = doc! { "posthaste.seq": { "$gt": slowest } };
    let fields = &db.options.fields;
    let only = doc! {
        "posthaste": 1, &fields.event_type: 1, &fields.destination: 1, &fields.tenant: 1,
    };
    let find = db.events.find(beyond).projection(only).batch_size(5_000);
    let mut cursor = find.session(&mut *session).await?;
    while cursor.advance(session).await? {
        census.count(&codec::row(db, cursor.current())?, None);
    }
    Ok(census.counts)
}

fn named(standing: &Standing) -> Vec<DestinationCounts> {
    let counts = standing.destinations.iter().map(|one| DestinationCounts {
        destination: one.name.to_string(),
        paused: one.paused,
        ..DestinationCounts::default()
    });
    counts.collect()
}

struct Census<'a> {
    counts: Vec<DestinationCounts>,
    now: i64,
    /// Waiting ones that were counted already.
    counted: HashSet<(usize, i64)>,
    standing: &'a Standing,
}

impl Census<'_> {
    fn count_parked(&mut self) {
        for (place, _, parked) in self.standing.all_parked() {
            let counts = &mut self.counts[place];
            match parked.state {
                ParkedState::Retrying => counts.retrying += 1,
                ParkedState::Scheduled => counts.scheduled += 1,
                ParkedState::Throttled => counts.throttled += 1,
                ParkedState::Dead => counts.dead += 1,
                ParkedState::Replay => counts.replay += 1,
                ParkedState::Discarding | ParkedState::Discarded => {}
            }
        }
    }

    /// Counts a message that waits or is pending, at one destination or at all that take it.
    fn count(&mut self, row: &Row, at: Option<usize>) {
        let takers: Vec<usize> =
            self.standing.takers(&row.message).filter(|place| at.is_none_or(|at| at == *place)).collect();
        for place in takers {
            match self.standing.status(place, row) {
                Status::Waiting if self.counted.insert((place, row.seq)) => self.counts[place].waiting += 1,
                Status::Pending => {
                    let age = codec::until(self.now, row.at).as_secs_f64();
                    let counts = &mut self.counts[place];
                    counts.pending += 1;
                    counts.oldest_pending_seconds = Some(counts.oldest_pending_seconds.unwrap_or_default().max(age));
                }
                _ => {}
            }
        }
    }
}
