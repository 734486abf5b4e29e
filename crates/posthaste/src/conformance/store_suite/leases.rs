//! One holder per partition, by the store's clock, and everyone can tell.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Barrier;
use tokio::task::JoinSet;

use super::Fixture;
use super::fixture::{LONG, SHORT, eventually, worker};
use crate::error::Result;
use crate::journal::{Epoch, Journal, Lease, Partition};

/// While one worker holds a partition, another one does not get it.
pub async fn a_partition_has_one_holder(t: Fixture) -> Result<()> {
    let partitions = usize::from(t.journal.partitions().await?);
    let first = t.lease_all("first").await?;
    assert_eq!(distinct(&first).len(), partitions, "all were free");
    assert!(t.lease_all("second").await?.is_empty());
    assert!(t.lease_all("first").await?.is_empty(), "what is held is not acquired again");
    Ok(())
}

/// A worker that asks for some partitions gets at most that many.
pub async fn a_worker_gets_no_more_than_it_wants(t: Fixture) -> Result<()> {
    let first = t.journal.lease(&worker("first"), LONG, 3).await?.leases;
    let second = t.journal.lease(&worker("second"), LONG, 2).await?.leases;
    assert_eq!((first.len(), second.len()), (3, 2));
    assert!(distinct(&first).is_disjoint(&distinct(&second)));
    Ok(())
}

/// The first lease of a partition does not count as a takeover.
pub async fn a_partition_that_was_never_held_did_not_expire(t: Fixture) -> Result<()> {
    assert!(t.lease_all("w").await?.iter().all(|lease| !lease.expired_before));
    Ok(())
}

/// Epochs only grow, also when the same worker takes a partition again.
pub async fn every_acquisition_has_a_higher_epoch(t: Fixture) -> Result<()> {
    let mut last = Epoch::default();
    for name in ["first", "second", "first", "first"] {
        let leases = t.lease_all(name).await?;
        let epoch = epoch_of(Partition::new(0), &leases);
        assert!(epoch > last, "{epoch} after {last}");
        last = epoch;
        t.journal.release(&worker(name), &leases, false).await?;
    }
    Ok(())
}

/// A takeover after the end of a lease is told, because its holder may have died in the middle.
pub async fn an_expired_lease_goes_to_another_worker_and_says_so(t: Fixture) -> Result<()> {
    let lost = t.journal.lease(&worker("lost"), SHORT, 1).await?.leases[0];
    let taken = take_over(&t, "next", lost).await?;
    assert!(taken.epoch > lost.epoch);
    assert!(taken.expired_before, "its holder may have died of what it had in flight");
    Ok(())
}

/// A worker that stops in good order leaves no suspicion behind.
pub async fn a_released_lease_is_free_at_once_and_did_not_expire(t: Fixture) -> Result<()> {
    let held = t.lease_all("first").await?;
    t.journal.release(&worker("first"), &held[..1], false).await?;
    let taken = t.lease_all("second").await?;
    assert_eq!(distinct(&taken), distinct(&held[..1]), "only what was given back");
    assert!(!taken[0].expired_before);
    Ok(())
}

/// Renewing moves the end of a lease.
pub async fn a_renewed_lease_outlives_its_first_end(t: Fixture) -> Result<()> {
    let held = t.journal.lease(&worker("holder"), SHORT, 2).await?.leases;
    let kept = t.renew("holder", LONG, &held[..1]).await?;
    assert_eq!(kept, [held[0].partition]);
    take_over(&t, "other", held[1]).await?;
    let rest = t.lease_all("other").await?;
    assert!(!distinct(&rest).contains(&held[0].partition), "only the other one expired");
    assert_eq!(t.renew("holder", LONG, &held[..1]).await?, [held[0].partition]);
    Ok(())
}

/// A worker that wakes up late cannot renew what another one holds now.
pub async fn renewing_never_brings_back_a_lease_that_was_taken(t: Fixture) -> Result<()> {
    let lost = t.journal.lease(&worker("lost"), SHORT, 1).await?.leases[0];
    let taken = take_over(&t, "next", lost).await?;
    assert!(t.renew("lost", LONG, &[lost]).await?.is_empty());
    assert!(t.renew("lost", LONG, &[taken]).await?.is_empty(), "knowing the epoch is not holding it");
    assert_eq!(t.renew("next", LONG, &[taken]).await?, [taken.partition]);
    Ok(())
}

/// Renewing under an old epoch returns nothing, whoever holds the partition.
pub async fn renewing_returns_only_what_is_held_with_its_epoch(t: Fixture) -> Result<()> {
    let held = t.journal.lease(&worker("w"), LONG, 3).await?.leases;
    t.journal.release(&worker("w"), &held[..1], false).await?;
    let other = Lease { epoch: held[1].epoch.next(), ..held[1] };
    assert_eq!(t.renew("w", LONG, &[held[0], other, held[2]]).await?, [held[2].partition]);
    Ok(())
}

/// A late release does not free what another worker holds.
pub async fn releasing_a_lease_that_was_taken_leaves_it_alone(t: Fixture) -> Result<()> {
    let lost = t.journal.lease(&worker("lost"), SHORT, 1).await?.leases[0];
    let taken = take_over(&t, "next", lost).await?;
    t.journal.release(&worker("lost"), &[lost], true).await?;
    assert_eq!(t.renew("next", LONG, &[taken]).await?, [taken.partition]);
    Ok(())
}

/// The same name is not the same process: old leases are not handed over.
pub async fn a_worker_restarted_under_its_name_waits_for_its_old_leases_to_expire(t: Fixture) -> Result<()> {
    let before = t.journal.lease(&worker("w"), SHORT, 1).await?.leases[0];
    let after = take_over(&t, "w", before).await?;
    assert!(after.expired_before && after.epoch > before.epoch);
    assert!(t.renew("w", LONG, &[before]).await?.is_empty(), "the one before it is fenced off");
    Ok(())
}

/// A worker that wants no partition is still counted among those that live.
pub async fn asking_for_nothing_announces_the_worker(t: Fixture) -> Result<()> {
    let first = t.journal.lease(&worker("first"), LONG, 0).await?;
    assert!(first.leases.is_empty());
    assert_eq!(first.workers, 1, "the asking one included");
    assert_eq!(t.journal.lease(&worker("second"), LONG, 0).await?.workers, 2);
    assert_eq!(t.journal.lease(&worker("first"), LONG, 0).await?.workers, 2, "announcing twice is once");
    Ok(())
}

/// The share of the others grows as soon as a worker has left.
pub async fn a_worker_that_leaves_no_longer_counts(t: Fixture) -> Result<()> {
    t.journal.lease(&worker("first"), LONG, 0).await?;
    let held = t.journal.lease(&worker("second"), LONG, 1).await?.leases;
    t.journal.release(&worker("second"), &held, false).await?;
    assert_eq!(t.journal.lease(&worker("first"), LONG, 0).await?.workers, 2, "giving leases back is not leaving");
    t.journal.release(&worker("second"), &[], true).await?;
    assert_eq!(t.journal.lease(&worker("first"), LONG, 0).await?.workers, 1);
    Ok(())
}

/// A worker that does not renew in time is no longer counted.
pub async fn a_worker_that_says_nothing_no_longer_counts(t: Fixture) -> Result<()> {
    t.journal.lease(&worker("silent"), SHORT, 0).await?;
    eventually("the silent worker no longer counts", || async {
        Ok(t.journal.lease(&worker("asking"), LONG, 0).await?.workers == 1)
    })
    .await
}

/// A worker that renews is counted for as long as it does.
pub async fn renewing_keeps_a_worker_alive(t: Fixture) -> Result<()> {
    t.journal.lease(&worker("silent"), SHORT, 0).await?;
    t.journal.lease(&worker("renewing"), SHORT, 0).await?;
    t.renew("renewing", LONG, &[]).await?;
    eventually("the silent worker no longer counts", || async {
        Ok(t.journal.lease(&worker("asking"), LONG, 0).await?.workers == 2)
    })
    .await
}

/// Workers that ask at the same moment get different partitions.
pub async fn eight_workers_at_once_never_share_a_partition(t: Fixture) -> Result<()> {
    let partitions = usize::from(t.journal.partitions().await?);
    let leases = race(&t, partitions.div_ceil(4)).await?;
    assert_eq!(distinct(&leases).len(), leases.len(), "nobody got what another got");
    assert_eq!(leases.len(), partitions, "together they got everything");
    Ok(())
}

/// Workers that ask at the moment when leases end get different partitions.
pub async fn eight_workers_at_once_never_share_an_expired_partition(t: Fixture) -> Result<()> {
    let partitions = usize::from(t.journal.partitions().await?);
    let lost = t.journal.lease(&worker("lost"), SHORT, partitions).await?.leases;
    eventually("all leases expire", || async { Ok(t.inspect.overview().await?.unheld_partitions == partitions) })
        .await?;
    let taken = race(&t, partitions.div_ceil(4)).await?;
    assert_eq!(taken.len(), partitions, "together they got everything");
    assert_eq!(distinct(&taken).len(), taken.len(), "nobody got what another got");
    assert!(taken.iter().all(|lease| lease.epoch > epoch_of(lease.partition, &lost)));
    Ok(())
}

/// Lets eight workers, each with the store opened on its own, ask at the same time.
async fn race(t: &Fixture, want: usize) -> Result<Vec<Lease>> {
    let start = Arc::new(Barrier::new(8));
    let mut workers = JoinSet::new();
    for n in 0..8 {
        let (journal, start): (Arc<dyn Journal>, _) = (t.subject.reopen().await?, start.clone());
        workers.spawn(async move {
            start.wait().await;
            journal.lease(&worker(&format!("w{n}")), LONG, want).await
        });
    }
    let mut leases = Vec::new();
    while let Some(grant) = workers.join_next().await {
        leases.extend(grant.expect("a worker does not panic")?.leases);
    }
    Ok(leases)
}

/// Asks for partitions until `lost` has expired and is ours.
pub(super) async fn take_over(t: &Fixture, name: &str, lost: Lease) -> Result<Lease> {
    let mut taken = None;
    let wanted = usize::from(t.journal.partitions().await?);
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    while taken.is_none() {
        assert!(tokio::time::Instant::now() < deadline, "the lease did not expire in time");
        let leases = t.journal.lease(&worker(name), LONG, wanted).await?.leases;
        taken = leases.into_iter().find(|lease| lease.partition == lost.partition);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    Ok(taken.expect("the loop ends with a lease"))
}

fn distinct(leases: &[Lease]) -> BTreeSet<Partition> {
    leases.iter().map(|lease| lease.partition).collect()
}

fn epoch_of(partition: Partition, leases: &[Lease]) -> Epoch {
    leases.iter().find(|lease| lease.partition == partition).map_or(Epoch::default(), |lease| lease.epoch)
}
