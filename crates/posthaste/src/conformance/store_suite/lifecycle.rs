//! The life of a store: migrating, checking, writing by itself, watching.

use std::time::Duration;

use super::Fixture;
use super::making::{made, order};
use crate::error::Result;
use crate::journal::Hint;
use crate::message::Message;
use crate::store::Watch;

/// A second migration leaves the messages, the partitions and the destinations as they are.
pub async fn migrating_again_changes_nothing(t: Fixture) -> Result<()> {
    t.serve(&["a"]).await?;
    t.write(vec![order("1")]).await?;
    let partitions = t.journal.partitions().await?;
    t.store.migrate().await?;
    assert_eq!(t.journal.partitions().await?, partitions);
    assert_eq!(t.read_all().await?.len(), 1, "what was written is still there");
    assert_eq!(t.inspect.overview().await?.destinations.len(), 1, "what was registered is still there");
    Ok(())
}

/// A check of a new journal names nothing because of which a relay must not run.
pub async fn a_journal_that_was_just_made_refuses_no_relay(t: Fixture) -> Result<()> {
    let problems = t.store.check().await?;
    assert!(problems.iter().all(|problem| !problem.refuses), "{problems:?}");
    Ok(())
}

/// Messages written without a transaction of the caller's are stored once, and each is answered for.
pub async fn the_store_writes_by_itself_and_answers_for_each_message(t: Fixture) -> Result<()> {
    let foreign = |event| made(Message::builder("order.created", "order", "1").origin("orders", event));
    t.write(vec![foreign("1")]).await?;
    let stored = t.store.write(&[order("2"), foreign("1"), foreign("2")]).await?;
    assert_eq!(stored, [true, false, true], "the second was known before by its origin");
    assert_eq!(t.read_all().await?.len(), 3);
    assert!(t.store.write(&[]).await?.is_empty());
    Ok(())
}

/// What one watcher has noticed, another one still notices.
pub async fn each_watcher_notices_for_itself(t: Fixture) -> Result<()> {
    let (mut one, mut other) = (t.store.watch(), t.store.watch());
    for watch in [&mut one, &mut other] {
        settle(&mut **watch).await?;
    }
    t.write(vec![order("1")]).await?;
    for watch in [&mut one, &mut other] {
        assert_eq!(watch.wait(Duration::from_secs(2)).await?, Hint::Maybe);
    }
    Ok(())
}

/// Until a watcher has noticed everything so far, or is one that cannot tell.
async fn settle(watch: &mut dyn Watch) -> Result<()> {
    for _ in 0..5 {
        if watch.wait(Duration::from_millis(20)).await? == Hint::Nothing {
            break;
        }
    }
    Ok(())
}
