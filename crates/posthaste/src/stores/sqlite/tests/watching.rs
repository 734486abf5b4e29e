use super::*;
use crate::journal::WorkerReport;
use crate::store::Watch;

/// A watcher that has noticed everything so far.
async fn quiet(store: &Sqlite) -> Result<Box<dyn Watch>> {
    let mut watch = store.watch();
    while watch.wait(Duration::from_millis(2)).await? == Hint::Maybe {}
    Ok(watch)
}

#[tokio::test]
async fn a_commit_of_another_connection_is_noticed_and_an_own_one_is_not() -> Result<()> {
    let store = Store::new().await?;
    let mut watch = quiet(&store).await?;
    store.serve("a").await?;
    assert_eq!(watch.wait(Duration::from_millis(2)).await?, Hint::Nothing, "a relay does not wake itself");
    let mut other = quiet(&store).await?;
    store.write(&[order("1")])?;
    assert_eq!(watch.wait(Duration::from_millis(2)).await?, Hint::Maybe);
    assert_eq!(watch.wait(Duration::from_millis(2)).await?, Hint::Nothing);
    assert_eq!(other.wait(Duration::from_millis(2)).await?, Hint::Maybe, "each watcher notices for itself");
    Ok(())
}

#[tokio::test]
async fn a_wake_ends_a_wait_at_once() -> Result<()> {
    let store = Store::new().await?;
    let mut watch = quiet(&store).await?;
    let mut waiting = quiet(&store).await?;
    let mut waiter = JoinSet::new();
    waiter.spawn(async move { waiting.wait(LONG).await });
    let started = Instant::now();
    tokio::task::yield_now().await;
    store.wake();
    let hint = waiter.join_next().await.expect("there is a waiter").expect("it does not panic")?;
    assert_eq!(hint, Hint::Maybe);
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(watch.wait(Duration::from_millis(2)).await?, Hint::Maybe, "a wake before the wait counts too");
    Ok(())
}

#[tokio::test]
async fn an_idle_worker_asks_at_most_ten_times_a_second() -> Result<()> {
    let store = Store::new().await?;
    store.serve("a").await?;
    // Until the pauses are as long as they get.
    let mut watch = store.watch();
    while watch.wait(Duration::from_millis(150)).await? == Hint::Maybe {}
    watch.wait(Duration::from_secs(1)).await?;
    let (before, started) = (store.queries(), Instant::now());
    for _ in 0..3 {
        // As the engine does: a lease twice a second, and a wait after the other.
        store.lease(&worker("w"), LONG, 0).await?;
        let lease_again = Instant::now() + Duration::from_millis(500);
        while Instant::now() < lease_again {
            assert_eq!(watch.wait(Duration::from_millis(150)).await?, Hint::Nothing);
        }
    }
    let per_second = (store.queries() - before) as f64 / started.elapsed().as_secs_f64();
    assert!(per_second <= 10.0, "{per_second} questions a second");
    Ok(())
}

#[tokio::test]
async fn a_worker_that_has_announced_itself_writes_nothing() -> Result<()> {
    let store = Store::new().await?;
    store.serve("a").await?;
    let mut observer = Sqlite::open(store.directory.file(), quick())?.watch();
    store.lease(&worker("w"), LONG, 0).await?;
    store.lease(&worker("w"), LONG, 5).await?;
    assert_eq!(observer.wait(Duration::from_millis(2)).await?, Hint::Nothing, "nobody is woken for it");
    store.lease(&worker("another"), LONG, 0).await?;
    assert_eq!(observer.wait(Duration::from_millis(2)).await?, Hint::Maybe, "a new one must be seen");
    Ok(())
}

#[tokio::test]
async fn another_idle_worker_does_not_make_it_ask_more_often() -> Result<()> {
    let store = Store::new().await?;
    store.serve("a").await?;
    let other = Sqlite::open(store.directory.file(), quick())?;
    let mut watch = store.watch();
    watch.wait(Duration::from_secs(1)).await?;
    other.renew(&worker("other"), LONG, &[], &WorkerReport::default()).await?;
    assert_eq!(watch.wait(Duration::from_millis(150)).await?, Hint::Maybe);
    let before = store.queries();
    assert_eq!(watch.wait(Duration::from_millis(150)).await?, Hint::Nothing);
    assert_eq!(store.queries() - before, 0, "looking at the version is no request");
    Ok(())
}
