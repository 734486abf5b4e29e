//! What lanes did: one transaction for all of them, and the only write of the hot path.
//!
//! Cursors alone are one statement that does not wait for the disk: if it is lost, deliveries are repeated. A commit that changes
//! anything else waits for the disk, because a cursor that is written later would pass over a parked delivery that was lost.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_postgres::types::ToSql;

use self::columns::{Attempts, Cursors, Deliveries, Freed, Holds, Parks, Recalled};
use super::pool::Client;
use super::session::{Statements, Transaction};
use super::{Outbox, Postgres, register};
use crate::destination::Name;
use crate::error::Result;
use crate::journal::{LaneCommit, Partition};

mod columns;

/// Between two marks of a lane: how exactly the time of a delivery is known.
const MARK_INTERVAL: Duration = Duration::from_secs(10);

/// When each lane was marked last, so that most commits need not ask.
#[derive(Debug, Default)]
pub(super) struct Marks(Mutex<HashMap<(Name, Partition), Instant>>);

impl Marks {
    /// Whether one of the lanes wants a mark; the others of the same commit do not mind.
    fn are_due(&self, commits: &[&LaneCommit]) -> bool {
        let mut marked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let mut any = false;
        for commit in commits.iter().filter(|commit| commit.cursor.is_some()) {
            let last = marked.entry((commit.destination.clone(), commit.partition)).or_insert(now);
            if now.duration_since(*last) >= MARK_INTERVAL {
                *last = now;
                any = true;
            }
        }
        any
    }
}

pub(super) async fn commit(store: &Postgres, commits: &[LaneCommit]) -> Result<Vec<Partition>> {
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let mut client = store.client().await?;
    let mut refused = BTreeSet::new();
    for round in rounds(commits) {
        let mark = store.shared.marks.are_due(&round);
        let taken = if round.iter().all(|commit| commit.is_cursor_only()) {
            move_cursors(&*client, &round, mark, true).await?
        } else {
            change_all(&mut client, &store.outbox(), &round, mark).await?
        };
        for lost in round.iter().filter(|commit| !taken.contains(&lane(commit))) {
            // Refused, unless there is no such lane at all.
            register::check_known(&client, &lost.destination).await?;
            refused.insert(lost.partition);
        }
    }
    if commits.iter().any(|commit| !commit.letters.is_empty()) {
        store.wake();
    }
    Ok(refused.into_iter().collect())
}

type Lane<'a> = (&'a str, Partition);

fn lane(commit: &LaneCommit) -> Lane<'_> {
    (commit.destination.as_str(), commit.partition)
}

/// Commits of which no two are for the same lane, in order.
fn rounds(commits: &[LaneCommit]) -> Vec<Vec<&LaneCommit>> {
    let mut rounds: Vec<Vec<&LaneCommit>> = Vec::new();
    let mut seen: HashMap<Lane<'_>, usize> = HashMap::new();
    for commit in commits {
        let round = seen.entry(lane(commit)).and_modify(|round| *round += 1).or_insert(0);
        if *round == rounds.len() {
            rounds.push(Vec::new());
        }
        rounds[*round].push(commit);
    }
    rounds
}

/// Moves the cursors of the lanes that are still held, and returns those.
async fn move_cursors<'a>(
    session: &impl Statements,
    commits: &[&'a LaneCommit],
    mark: bool,
    quick: bool,
) -> Result<HashSet<Lane<'a>>> {
    let cursors = Cursors::of(commits);
    let rows = session.query(include_str!("sql/commit/cursor.sql"), &cursors.params(&mark, &quick)).await?;
    let mut taken = HashSet::new();
    for row in rows {
        let place: i64 = row.try_get("place")?;
        taken.extend(usize::try_from(place - 1).ok().and_then(|place| commits.get(place)).map(|commit| lane(commit)));
    }
    Ok(taken)
}

/// Everything, in one transaction. Sets after it removes, so that a repeated commit changes nothing.
async fn change_all<'a>(
    client: &mut Client,
    outbox: &Outbox,
    commits: &[&'a LaneCommit],
    mark: bool,
) -> Result<HashSet<Lane<'a>>> {
    let transaction = client.transaction().await?;
    let taken = move_cursors(&transaction, commits, mark, false).await?;
    let accepted: Vec<_> = commits.iter().copied().filter(|commit| taken.contains(&lane(commit))).collect();
    let unparked = Deliveries::of(&accepted, |commit| &commit.unpark);
    run(&transaction, include_str!("sql/commit/unpark.sql"), unparked.params()).await?;
    let discarded = Deliveries::of(&accepted, |commit| &commit.discard);
    run(&transaction, include_str!("sql/commit/discard.sql"), discarded.params()).await?;
    run(&transaction, include_str!("sql/commit/park.sql"), Parks::of(&accepted).params()).await?;
    run(&transaction, include_str!("sql/commit/recall.sql"), Recalled::of(&accepted).params()).await?;
    run(&transaction, include_str!("sql/commit/free.sql"), Freed::of(&accepted).params()).await?;
    run(&transaction, include_str!("sql/commit/hold.sql"), Holds::of(&accepted).params()).await?;
    run(&transaction, include_str!("sql/commit/attempt.sql"), Attempts::of(&accepted).params()).await?;
    for letter in accepted.iter().flat_map(|commit| &commit.letters) {
        outbox.enqueue(&transaction, std::slice::from_ref(letter)).await?;
    }
    transaction.commit().await?;
    Ok(taken)
}

/// Runs a statement of the transaction, unless it has nothing to do.
async fn run<const N: usize>(
    transaction: &Transaction<'_>,
    sql: &str,
    params: Option<[&(dyn ToSql + Sync); N]>,
) -> Result<()> {
    if let Some(params) = params {
        transaction.execute(sql, &params).await?;
    }
    Ok(())
}
