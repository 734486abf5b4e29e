use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;

use async_trait::async_trait;
use posthaste::conformance::store_suite::{OpenTransaction, StoreUnderTest};
use posthaste::journal::Enqueued;
use posthaste::store::Store;
use posthaste::stores::sqlite::{self, Options, Sqlite};
use posthaste::{Message, Result};
use rusqlite::TransactionBehavior;
use tokio::sync::oneshot;

posthaste::store_suite!(fresh);

/// A file that is gone when the test is.
pub(crate) struct OnDisk {
    pub(crate) store: Sqlite,
    directory: PathBuf,
}

pub(crate) async fn fresh() -> OnDisk {
    let directory = std::env::temp_dir().join(format!("posthaste-{}", uuid::Uuid::now_v7()));
    std::fs::create_dir(&directory).expect("the temporary directory can be written to");
    let store = Sqlite::open(directory.join("journal.db"), Options::default()).expect("a new file opens");
    store.migrate().await.expect("a new file migrates");
    OnDisk { store, directory }
}

impl OnDisk {
    pub(crate) fn file(&self) -> PathBuf {
        self.directory.join("journal.db")
    }
}

impl Drop for OnDisk {
    fn drop(&mut self) {
        // A leftover file is a nuisance, not a failure.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

#[async_trait]
impl StoreUnderTest for OnDisk {
    fn store(&self) -> Arc<dyn Store> {
        Arc::new(self.store.clone())
    }

    async fn reopen(&self) -> Result<Arc<dyn Store>> {
        let again = Sqlite::open(self.file(), Options::default())?;
        again.migrate().await?;
        Ok(Arc::new(again))
    }

    async fn begin(&self, messages: Vec<Message>) -> Result<Box<dyn OpenTransaction>> {
        let (end, told) = mpsc::channel();
        let (opened, is_open) = oneshot::channel();
        let (finished, outcome) = oneshot::channel();
        let file = self.file();
        std::thread::spawn(move || application(&file, &messages, opened, &told, finished));
        is_open.await.expect("the application does not panic")?;
        Ok(Box::new(Open { end, outcome }))
    }
}

/// An application with a connection and a thread of its own, as it would be in another process.
fn application(
    file: &Path,
    messages: &[Message],
    opened: oneshot::Sender<Result<()>>,
    told: &mpsc::Receiver<End>,
    finished: oneshot::Sender<Result<Enqueued>>,
) {
    let mut connection = match sqlite::connect(file, &Options::default()) {
        Ok(connection) => connection,
        Err(error) => return drop(opened.send(Err(error))),
    };
    let written = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(Into::into)
        .and_then(|transaction| Ok((sqlite::Outbox::new().enqueue(&transaction, messages)?, transaction)));
    let (enqueued, transaction) = match written {
        Ok(written) => written,
        Err(error) => return drop(opened.send(Err(error))),
    };
    let _ = opened.send(Ok(()));
    // Whoever goes away without a word rolls back.
    let outcome = match told.recv() {
        Ok(End::Commit) => transaction.commit(),
        Ok(End::RollBack) | Err(_) => transaction.rollback(),
    };
    let _ = finished.send(outcome.map(|()| enqueued).map_err(Into::into));
}

enum End {
    Commit,
    RollBack,
}

struct Open {
    end: mpsc::Sender<End>,
    outcome: oneshot::Receiver<Result<Enqueued>>,
}

impl Open {
    async fn end(self, how: End) -> Result<Enqueued> {
        self.end.send(how).expect("the application waits");
        self.outcome.await.expect("the application does not panic")
    }
}

#[async_trait]
impl OpenTransaction for Open {
    async fn commit(self: Box<Self>) -> Result<Enqueued> {
        self.end(End::Commit).await
    }

    async fn roll_back(self: Box<Self>) -> Result<()> {
        self.end(End::RollBack).await.map(drop)
    }
}

#[expect(clippy::print_stdout, reason = "a figure for docs/performance.md, seen with --nocapture")]
#[tokio::test(flavor = "multi_thread")]
async fn an_idle_worker_hears_of_a_message_that_others_write() -> Result<()> {
    let t = fresh().await;
    let mut watch = t.store.watch();
    let others = rusqlite::Connection::open(t.file()).unwrap();
    let mut took = Vec::new();
    for n in 0..20 {
        while watch.wait(std::time::Duration::from_millis(100)).await? == posthaste::journal::Hint::Maybe {}
        let message = format!(
            "INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload) VALUES ('order.placed', 'order', '{n}', '0')"
        );
        others.execute_batch(&message).unwrap();
        let written = std::time::Instant::now();
        assert_eq!(watch.wait(std::time::Duration::from_secs(30)).await?, posthaste::journal::Hint::Maybe);
        took.push(written.elapsed());
    }
    took.sort();
    println!("an idle worker hears of a commit within {:?} (median), {:?} (longest)", took[10], took[19]);
    Ok(())
}
