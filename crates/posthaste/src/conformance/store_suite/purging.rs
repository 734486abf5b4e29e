//! What may go: old, settled everywhere, and wanted by nothing.

use std::time::Duration;

use super::Fixture;
use super::making::{hold, made, order, orders, park, parked, passed};
use crate::error::Result;
use crate::inspect::Filter;
use crate::journal::{Cursor, LaneCommit, ParkedState, Position, Purged};
use crate::message::Message;

const NOW: Duration = Duration::ZERO;
const HOUR: Duration = Duration::from_secs(3_600);

/// A message stays until no destination needs it any more.
pub async fn only_what_every_destination_has_settled_is_removed(t: Fixture) -> Result<()> {
    t.serve(&["a", "b"]).await?;
    let entries = t.written(orders("1", 3)).await?;
    let leases = t.lease_all("w").await?;
    t.commit(&[passed("a", &entries[1], &leases)]).await?;
    assert_eq!(t.journal.purge(NOW, 100).await?, Purged { messages: 0, more: false });
    t.commit(&[passed("b", &entries[0], &leases)]).await?;
    assert_eq!(t.journal.purge(NOW, 100).await?, Purged { messages: 1, more: false });
    let kept = t.read_all().await?;
    assert_eq!(kept.iter().map(|entry| entry.position).collect::<Vec<_>>(), [entries[1].position, entries[2].position]);
    assert!(t.inspect.get(entries[0].message.id).await?.is_none());
    Ok(())
}

/// A purge spares what is younger than it was told.
pub async fn what_was_written_lately_is_kept(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 2)).await?;
    t.commit(&[passed("a", &entries[1], &t.lease_all("w").await?)]).await?;
    assert_eq!(t.inspect.purgeable(HOUR).await?, 0);
    assert_eq!(t.journal.purge(HOUR, 100).await?.messages, 0);
    assert_eq!(t.journal.purge(NOW, 100).await?.messages, 2);
    Ok(())
}

/// A slow message at the cursor does not keep the settled ones behind it.
pub async fn what_is_settled_beyond_the_cursor_is_removed_too(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 3)).await?;
    let leases = t.lease_all("w").await?;
    let cursor = Some(Cursor { low: Position::START, done: vec![entries[1].position] });
    t.commit(&[LaneCommit { cursor, ..passed("a", &entries[0], &leases) }]).await?;
    assert_eq!(t.journal.purge(NOW, 100).await?.messages, 1);
    assert!(t.inspect.get(entries[1].message.id).await?.is_none());
    Ok(())
}

/// A parked delivery keeps its message, however old.
pub async fn what_is_parked_is_kept(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 7)).await?;
    let leases = t.lease_all("w").await?;
    let aside = entries.iter().zip(ParkedState::ALL).map(|(entry, state)| park(entry, state)).collect();
    t.commit(&[LaneCommit { park: aside, ..passed("a", &entries[6], &leases) }]).await?;
    assert_eq!(t.journal.purge(NOW, 100).await?.messages, 0);
    Ok(())
}

/// Messages that a held key keeps back are not removed.
pub async fn what_waits_behind_a_held_key_is_kept(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 4)).await?;
    let leases = t.lease_all("w").await?;
    let held = hold(&entries[0], entries[0].position, entries[3].position);
    t.commit(&[LaneCommit { hold: vec![held], ..passed("a", &entries[3], &leases) }]).await?;
    assert_eq!(t.journal.purge(NOW, 100).await?.messages, 1, "the first is settled, the others wait");
    assert_eq!(t.read_all().await?.len(), 3);
    Ok(())
}

/// A purge works in pieces, and tells whether to go on.
pub async fn a_purge_removes_the_oldest_up_to_its_limit_and_says_if_more_is_left(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let entries = t.written(orders("1", 5)).await?;
    t.commit(&[passed("a", &entries[4], &t.lease_all("w").await?)]).await?;
    assert_eq!(t.inspect.purgeable(NOW).await?, 5);
    assert_eq!(t.journal.purge(NOW, 2).await?, Purged { messages: 2, more: true });
    assert_eq!(t.read_all().await?[0].position, entries[2].position);
    assert_eq!(t.journal.purge(NOW, 2).await?.messages, 2);
    assert_eq!(t.journal.purge(NOW, 2).await?, Purged { messages: 1, more: false });
    assert_eq!(t.inspect.purgeable(NOW).await?, 0);
    Ok(())
}

/// A message written after a purge gets a position above all earlier ones.
pub async fn positions_are_never_used_again(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    let before = t.written(orders("1", 3)).await?;
    t.commit(&[passed("a", &before[2], &t.lease_all("w").await?)]).await?;
    assert_eq!(t.journal.purge(NOW, 100).await?.messages, 3);
    assert!(t.journal.advance().await? >= before[2].position, "the journal does not shrink");
    let again = t.subject.reopen().await?;
    assert!(again.advance().await? >= before[2].position);
    t.write(vec![order("1")]).await?;
    let after = t.read_after(before[2].position).await?.entries;
    assert_eq!(after.len(), 1, "what comes later lies behind every lane's cursor");
    Ok(())
}

/// What was never settled for a removed destination can be purged.
pub async fn a_destination_that_is_no_longer_named_holds_up_no_purge(t: Fixture) -> Result<()> {
    t.serve(&["a", "gone"]).await?;
    let entries = t.written(orders("1", 2)).await?;
    let leases = t.lease_all("w").await?;
    t.commit(&[passed("a", &entries[1], &leases)]).await?;
    t.commit(&[parked("gone", park(&entries[0], ParkedState::Dead), &entries[0], &leases)]).await?;
    assert_eq!(t.journal.purge(NOW, 100).await?.messages, 0);
    t.serve(&["a"]).await?;
    assert_eq!(t.journal.purge(NOW, 100).await?.messages, 2);
    Ok(())
}

/// A purge leaves no parked delivery behind whose message is gone.
pub async fn a_destination_that_comes_back_finds_no_deliveries_without_messages(t: Fixture) -> Result<()> {
    t.serve(&["a", "b"]).await?;
    let entry = t.written_one(order("1")).await?;
    let leases = t.lease_all("w").await?;
    t.commit(&[passed("a", &entry, &leases)]).await?;
    t.commit(&[parked("b", park(&entry, ParkedState::Retrying), &entry, &leases)]).await?;
    t.serve(&["a"]).await?;
    assert_eq!(t.journal.purge(NOW, 100).await?.messages, 1);
    t.serve(&["a", "b"]).await?;
    assert!(t.due_ids("b").await?.is_empty());
    assert_eq!(t.inspect.overview().await?.destinations[1].retrying, 0);
    Ok(())
}

/// A message that a slow destination does not take can be purged.
pub async fn a_destination_holds_up_only_what_it_takes(t: Fixture) -> Result<()> {
    t.serve_routed(&[("orders", "order.*"), ("invoices", "invoice.*")]).await?;
    let of = |event| made(Message::builder(event, "order", "1"));
    let named = made(Message::builder("order.created", "order", "1").destination("invoices"));
    let entries = t.written(vec![of("order.created"), of("nobody.cares"), named]).await?;
    let leases = t.lease_all("w").await?;
    t.commit(&[passed("orders", &entries[2], &leases)]).await?;
    assert_eq!(t.journal.purge(NOW, 100).await?.messages, 2, "`invoices` takes only what names it");
    assert_eq!(t.read_all().await?[0].message.id, entries[2].message.id);
    Ok(())
}

/// A store without a registered destination purges nothing.
pub async fn nothing_is_removed_before_destinations_are_known(t: Fixture) -> Result<()> {
    t.write(orders("1", 2)).await?;
    assert_eq!(t.inspect.purgeable(NOW).await?, 0);
    assert_eq!(t.journal.purge(NOW, 100).await?, Purged { messages: 0, more: false });
    assert_eq!(t.list(&Filter::default()).await?.len(), 2);
    Ok(())
}
