//! Deliveries by status: one walk over the messages beyond the slowest cursor, with everything parked or held in memory.

use std::collections::HashSet;

use mongodb::ClientSession;
use mongodb::bson::doc;

use super::super::codec::{self, Row};
use super::super::db::Db;
use super::super::progress::Progress;
use super::super::rows;
use crate::error::Result;
use crate::inspect::{DestinationCounts, Status};
use crate::journal::ParkedState;

/// Counts for every active destination, in the snapshot of the session.
pub(super) async fn counts(db: &Db, session: &mut ClientSession, now: i64) -> Result<Vec<DestinationCounts>> {
    let progress = Progress::load(db, session, None).await?;
    let mut counting = Counting { counts: none(&progress), now, counted: HashSet::new(), progress: &progress };
    counting.count_parked();
    for (place, held) in progress.all_held() {
        counting.counts[place].held_keys += 1;
        for row in rows::without_payload(db, session, rows::behind(db, held), None).await? {
            counting.count(&row, Some(place));
        }
    }
    let fields = &db.options.fields;
    let only = doc! {
        "posthaste": 1, &fields.event_type: 1, &fields.destination: 1, &fields.tenant: 1,
    };
    let beyond = doc! { "posthaste.seq": { "$gt": progress.slowest() } };
    let mut cursor = db.events.find(beyond).projection(only).batch_size(5_000).session(&mut *session).await?;
    while cursor.advance(session).await? {
        counting.count(&codec::row(db, cursor.current())?, None);
    }
    Ok(counting.counts)
}

/// The counts before anything was counted.
fn none(progress: &Progress) -> Vec<DestinationCounts> {
    let counts = progress.destinations.iter().map(|one| DestinationCounts {
        destination: one.name.to_string(),
        paused: one.paused,
        ..DestinationCounts::default()
    });
    counts.collect()
}

struct Counting<'a> {
    counts: Vec<DestinationCounts>,
    now: i64,
    /// Waiting ones that were counted already.
    counted: HashSet<(usize, i64)>,
    progress: &'a Progress,
}

impl Counting<'_> {
    fn count_parked(&mut self) {
        for (place, _, parked) in self.progress.all_parked() {
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
            self.progress.takers(&row.message).filter(|place| at.is_none_or(|at| at == *place)).collect();
        for place in takers {
            match self.progress.status(place, row) {
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
