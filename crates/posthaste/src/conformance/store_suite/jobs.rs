//! Jobs: bulk operations that are carried out once, whoever dies meanwhile.

use std::time::Duration;

use super::Fixture;
use super::fixture::{LONG, SHORT, eventually, worker};
use super::making::{different_orders, ids, park, passed};
use crate::error::Result;
use crate::inspect::{Change, Filter, Job, JobState, NewJob, Operation, Status};
use crate::journal::{Entry, LaneCommit, Lease, ParkedState};
use crate::rules::job::PIECE;

/// More than two pieces.
const MANY: usize = PIECE * 5 / 2;

/// So many dead deliveries, each of a key of its own; and the leases of all partitions.
async fn dead(t: &Fixture, count: usize) -> Result<(Vec<Entry>, Vec<Lease>)> {
    t.serve(&["a"]).await?;
    let leases = t.lease_all("w").await?;
    Ok((more_dead(t, count, &leases).await?, leases))
}

async fn more_dead(t: &Fixture, count: usize, leases: &[Lease]) -> Result<Vec<Entry>> {
    let entries = t.written(different_orders(count)).await?;
    for lease in leases {
        let of_lane: Vec<&Entry> = entries.iter().filter(|entry| entry.partition == lease.partition).collect();
        let Some(last) = of_lane.last() else { continue };
        let park = of_lane.iter().map(|entry| park(entry, ParkedState::Dead)).collect();
        t.commit(&[LaneCommit { park, ..passed("a", last, leases) }]).await?;
    }
    Ok(entries)
}

fn replay_dead() -> NewJob {
    NewJob {
        who: "ann".into(),
        operation: Operation::Replay,
        filter: Filter { statuses: vec![Status::Dead], ..Filter::default() },
        query: "status:dead".into(),
        expected: Some(7),
    }
}

/// Works until nothing is left, and returns how often that was possible.
async fn work(t: &Fixture, name: &str, ttl: Duration) -> Result<(usize, Option<Job>)> {
    let (mut pieces, mut last) = (0, None);
    while let Some(job) = t.inspect.work(&worker(name), ttl, None).await? {
        pieces += 1;
        last = Some(job);
    }
    Ok((pieces, last))
}

async fn count(t: &Fixture, status: Status) -> Result<u64> {
    Ok(t.inspect.overview().await?.destinations[0].of(status))
}

/// In several transactions, each of which leaves a progress that anyone can see.
pub async fn a_job_is_carried_out_piece_by_piece(t: Fixture) -> Result<()> {
    dead(&t, MANY).await?;
    let job = t.inspect.create_job(&replay_dead()).await?;
    assert_eq!((job.state, job.expected, job.affected), (JobState::Waiting, Some(7), 0));
    let first = t.inspect.work(&worker("w"), LONG, None).await?.expect("there is something to do");
    assert_eq!((first.number, first.state, first.affected), (job.number, JobState::Running, PIECE as u64));
    assert_eq!(t.inspect.jobs(None, 10).await?, [first]);
    let (_, last) = work(&t, "w", LONG).await?;
    let last = last.expect("there was more");
    assert_eq!((last.state, last.affected, last.not_applicable), (JobState::Done, MANY as u64, 0));
    assert!(last.ended_at.is_some() && last.started_at.is_some());
    assert_eq!((count(&t, Status::Dead).await?, count(&t, Status::Retrying).await?), (0, MANY as u64));
    let entries: Vec<Change> = t.inspect.audit(None, 10).await?.into_iter().map(|entry| entry.change).collect();
    let written =
        Change { who: "ann".into(), action: "replay".into(), target: "status:dead".into(), affected: MANY as u64 };
    assert_eq!(entries, [written], "once, at its end");
    Ok(())
}

/// Another worker goes on where the first one ended, and does nothing twice.
pub async fn a_job_of_a_worker_that_died_is_carried_on(t: Fixture) -> Result<()> {
    dead(&t, MANY).await?;
    t.inspect.create_job(&replay_dead()).await?;
    t.inspect.work(&worker("a"), SHORT, None).await?.expect("there is something to do");
    eventually("the first worker's time is up", || async {
        Ok(t.inspect.work(&worker("b"), LONG, None).await?.is_some())
    })
    .await?;
    assert_eq!(t.inspect.work(&worker("a"), LONG, None).await?, None, "it is the other's now");
    let (_, last) = work(&t, "b", LONG).await?;
    assert_eq!(last.map(|job| (job.state, job.affected)), Some((JobState::Done, MANY as u64)));
    Ok(())
}

/// Two workers that ask at the same moment never do the same piece.
pub async fn workers_that_ask_at_once_do_nothing_twice(t: Fixture) -> Result<()> {
    dead(&t, MANY).await?;
    let job = t.inspect.create_job(&replay_dead()).await?;
    let (a, b) = tokio::join!(work(&t, "a", Duration::ZERO), work(&t, "b", Duration::ZERO));
    a?;
    b?;
    let done = t.inspect.jobs(None, 1).await?.remove(0);
    assert_eq!((done.number, done.state, done.affected), (job.number, JobState::Done, MANY as u64));
    assert_eq!(t.inspect.audit(None, 10).await?.len(), 1);
    Ok(())
}

/// What was done until then stays, and is on record.
pub async fn a_stopped_job_goes_no_further(t: Fixture) -> Result<()> {
    dead(&t, MANY).await?;
    let job = t.inspect.create_job(&replay_dead()).await?;
    t.inspect.work(&worker("w"), LONG, None).await?;
    let stopped = t.inspect.stop_job(job.number, "bob").await?.expect("there is such a job");
    assert_eq!((stopped.state, stopped.affected), (JobState::Stopped, PIECE as u64));
    assert_eq!(t.inspect.work(&worker("w"), LONG, None).await?, None);
    assert_eq!(count(&t, Status::Dead).await?, (MANY - PIECE) as u64);
    let entries: Vec<_> = t.inspect.audit(None, 10).await?.into_iter().map(|entry| entry.change).collect();
    let said: Vec<_> = entries.iter().map(|change| (change.who.as_str(), change.action.as_str())).collect();
    assert_eq!(said, [("bob", "stop"), ("ann", "replay")]);
    let again = t.inspect.stop_job(job.number, "bob").await?.expect("there is such a job");
    assert_eq!((again.state, t.inspect.audit(None, 10).await?.len()), (JobState::Stopped, 2));
    assert_eq!(t.inspect.stop_job(job.number + 7, "bob").await?, None);
    Ok(())
}

/// A job is about what was there when it was asked for.
pub async fn what_comes_later_is_not_part_of_a_job(t: Fixture) -> Result<()> {
    let (_, leases) = dead(&t, 3).await?;
    let job = t.inspect.create_job(&replay_dead()).await?;
    let later = more_dead(&t, 2, &leases).await?;
    let (_, done) = work(&t, "x", LONG).await?;
    assert_eq!(done.map(|done| (done.number, done.affected)), Some((job.number, 3)));
    assert_eq!(t.status("a", later[0].message.id).await?, Some(Status::Dead));
    Ok(())
}

/// Only what the filter selects, and a worker may choose its job.
pub async fn a_job_does_what_it_was_asked_for(t: Fixture) -> Result<()> {
    let (entries, _) = dead(&t, 4).await?;
    let filter = Filter { ids: ids(&entries[..1]), ..replay_dead().filter };
    let first = t.inspect.create_job(&NewJob { filter, ..replay_dead() }).await?;
    let filter = Filter { ids: ids(&entries[1..3]), ..replay_dead().filter };
    let second = NewJob { operation: Operation::Discard, filter, expected: None, ..replay_dead() };
    let second = t.inspect.create_job(&second).await?;
    let done = t.inspect.work(&worker("w"), LONG, Some(second.number)).await?.expect("it was chosen");
    assert_eq!((done.number, done.state, done.affected), (second.number, JobState::Done, 2));
    assert_eq!(t.inspect.work(&worker("w"), LONG, Some(second.number)).await?, None, "it is done");
    let done = t.inspect.work(&worker("w"), LONG, None).await?.expect("the other one is left");
    assert_eq!((done.number, done.affected), (first.number, 1));
    let mut statuses = Vec::new();
    for entry in &entries {
        statuses.push(t.status("a", entry.message.id).await?);
    }
    let expected = [Status::Retrying, Status::Discarding, Status::Discarding, Status::Dead];
    assert_eq!(statuses, expected.map(Some));
    let numbers = |jobs: Vec<Job>| jobs.iter().map(|job| job.number).collect::<Vec<_>>();
    assert_eq!(numbers(t.inspect.jobs(None, 10).await?), [second.number, first.number], "newest first");
    assert_eq!(numbers(t.inspect.jobs(Some(second.number), 10).await?), [first.number]);
    assert_eq!(numbers(t.inspect.jobs(None, 1).await?), [second.number]);
    Ok(())
}
