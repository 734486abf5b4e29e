//! Deliveries by status: one walk over the messages beyond the slowest cursor, with everything parked or held in memory.

use std::collections::HashSet;
use std::time::Duration;

use mongodb::ClientSession;
use mongodb::bson::doc;

use super::super::codec::{self, Row};
use super::super::db::Db;
use super::super::progress::{Of, Progress};
use super::super::rows;
use crate::error::Result;
use crate::inspect::{DestinationCounts, Status};
use crate::rules::due::due_in;
use crate::rules::status::is_parked;

/// Counts for every active destination, in the snapshot of the session.
pub(super) async fn counts(db: &Db, session: &mut ClientSession, now: i64) -> Result<Vec<DestinationCounts>> {
    let progress = Progress::load(db, session, Of::All).await?;
    let mut counting = Counting { counts: none(&progress), now, counted: HashSet::new(), progress: &progress };
    counting.count_parked();
    for (place, held) in progress.all_held() {
        counting.counts[place].held_keys += 1;
        for row in rows::of_a_key(db, session, rows::behind(db, held), None).await? {
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
        paused_tenants: one.paused_tenants.clone(),
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
            self.counts[place].count(parked.state.into(), Duration::ZERO);
        }
    }

    /// Counts a message that waits or is pending, at one destination or at all that take it.
    fn count(&mut self, row: &Row, at: Option<usize>) {
        for place in self.progress.takers(&row.message).filter(|place| at.is_none_or(|at| at == *place)) {
            let status = self.progress.status(place, row);
            let is_new = match status {
                Status::Waiting => self.counted.insert((place, row.seq)),
                // What is parked was counted as such.
                status => !is_parked(status),
            };
            if is_new {
                self.counts[place].count(status, due_in(self.now, row.at));
            }
        }
    }
}
