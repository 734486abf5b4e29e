//! Making destinations known, as often as one likes.

use tokio::task::JoinSet;

use super::Fixture;
use super::making::{different_orders, ids, lease_of, order, passed};
use crate::destination::{Destination, StartFrom};
use crate::error::{Kind, Result};
use crate::inspect::Status;
use crate::journal::{Cursor, Position};

/// A destination gets everything that the journal still has.
pub async fn a_new_destination_starts_at_the_beginning(t: Fixture) -> Result<()> {
    t.write(different_orders(3)).await?;
    t.serve(&["a"]).await?;
    let leases = t.lease_all("w").await?;
    let lanes = t.journal.open(&"a".into(), &leases).await?;
    assert_eq!(lanes.len(), leases.len(), "a lane for every partition");
    assert!(lanes.iter().all(|lane| lane.cursor == Cursor::default()));
    Ok(())
}

/// A destination may leave the past out.
pub async fn a_destination_that_starts_now_gets_only_what_is_written_from_now_on(t: Fixture) -> Result<()> {
    let before = t.written(different_orders(20)).await?;
    let now = Destination { start_from: StartFrom::Now, ..Destination::new("a") };
    t.journal.register(&[now]).await?;
    let after = t.written_one(order("o-1")).await?;
    let leases = t.lease_all("w").await?;
    for lane in t.journal.open(&"a".into(), &leases).await? {
        let of_lane = before.iter().filter(|entry| entry.partition == lane.partition);
        assert!(of_lane.map(|entry| entry.position).max() <= Some(lane.cursor.low));
        assert!(lane.cursor.low < after.position);
    }
    assert_eq!(t.status("a", before[0].message.id).await?, Some(Status::Delivered));
    assert_eq!(t.status("a", after.message.id).await?, Some(Status::Pending));
    Ok(())
}

/// A restart with the same config moves no cursor.
pub async fn registering_again_keeps_what_the_lanes_did(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entry = t.written_one(order("1")).await?;
    let leases = t.lease_all("w").await?;
    t.commit(&[passed("a", &entry, &leases)]).await?;
    t.inspect.pause(&"a".into()).await?;
    let now = Destination { start_from: StartFrom::Now, ..Destination::new("a") };
    t.journal.register(&[now]).await?;
    let state = t.open_one("a", lease_of(&entry, &leases)).await?;
    assert_eq!(state.cursor.low, entry.position);
    assert!(t.inspect.overview().await?.destinations[0].paused, "a restart does not resume what was paused");
    Ok(())
}

/// A new destination does not move the others.
pub async fn a_destination_added_later_starts_on_its_own(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entry = t.written_one(order("1")).await?;
    let leases = t.lease_all("w").await?;
    t.commit(&[passed("a", &entry, &leases)]).await?;
    t.serve(&["a", "b"]).await?;
    assert_eq!(t.status("a", entry.message.id).await?, Some(Status::Delivered));
    assert_eq!(t.status("b", entry.message.id).await?, Some(Status::Pending));
    assert_eq!(t.open_one("b", lease_of(&entry, &leases)).await?.cursor.low, Position::START);
    Ok(())
}

/// A destination that was left out for a while misses nothing that is still kept.
pub async fn a_destination_that_comes_back_goes_on_where_it_was(t: Fixture) -> Result<()> {
    t.serve(&["a", "b"]).await?;
    let entry = t.written_one(order("1")).await?;
    let leases = t.lease_all("w").await?;
    t.commit(&[passed("b", &entry, &leases)]).await?;
    t.serve(&["a"]).await?;
    assert_eq!(t.status("b", entry.message.id).await?, None, "what is no longer named is not shown");
    t.serve(&["a", "b"]).await?;
    assert_eq!(t.open_one("b", lease_of(&entry, &leases)).await?.cursor.low, entry.position);
    Ok(())
}

/// Operators see deliveries by the new route as soon as it is registered.
pub async fn a_changed_route_holds_from_its_registration_on(t: Fixture) -> Result<()> {
    t.serve_routed(&[("a", "order.*")]).await?;
    let entry = t.written_one(order("1")).await?;
    assert_eq!(t.status("a", entry.message.id).await?, Some(Status::Pending));
    t.serve_routed(&[("a", "invoice.*")]).await?;
    assert_eq!(t.status("a", entry.message.id).await?, None);
    Ok(())
}

/// Workers that start at the same moment do not fail.
pub async fn many_may_register_at_once(t: Fixture) -> Result<()> {
    let mut starting = JoinSet::new();
    for _ in 0..8 {
        let journal = t.subject.reopen().await?;
        starting.spawn(async move { journal.register(&[Destination::new("a"), Destination::new("b")]).await });
    }
    while let Some(registered) = starting.join_next().await {
        registered.expect("a worker does not panic")?;
    }
    let leases = t.lease_all("w").await?;
    assert_eq!(t.journal.open(&"a".into(), &leases).await?.len(), leases.len());
    assert_eq!(t.inspect.overview().await?.destinations.len(), 2);
    Ok(())
}

/// Migrations that ran before do no harm.
pub async fn opening_the_store_again_changes_nothing(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(different_orders(3)).await?;
    let again = t.subject.reopen().await?;
    assert_eq!(again.partitions().await?, t.journal.partitions().await?);
    assert_eq!(again.advance().await?, entries[2].position);
    assert_eq!(ids(&t.read_all().await?), ids(&entries));
    assert_eq!(t.inspect.overview().await?.destinations.len(), 1);
    Ok(())
}

/// A mistyped name is an error, not an empty answer.
pub async fn a_destination_that_was_never_registered_is_not_found(t: Fixture) -> Result<()> {
    let leases = t.lease_all("w").await?;
    let opened = t.journal.open(&"nobody".into(), &leases).await;
    assert_eq!(opened.expect_err("there is nothing to open").kind(), Kind::NotFound);
    let paused = t.inspect.pause(&"nobody".into()).await;
    assert_eq!(paused.expect_err("there is nothing to pause").kind(), Kind::NotFound);
    Ok(())
}
