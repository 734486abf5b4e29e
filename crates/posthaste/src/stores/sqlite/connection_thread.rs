//! A connection with a thread of its own, which does one piece of work after another.
//!
//! Any thread could do it, as far as SQLite cares. But the memory that a read fills stays with the thread that asked for it, so
//! one thread that always reads finds it again and warm, where several in turn would each want their own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::error::{Error, Kind, Result};

/// Pieces of work that may wait for the thread; whoever has one more waits to hand it over.
const QUEUE: usize = 64;

type Work = Box<dyn FnOnce(&mut Connection) + Send>;

/// A connection and the thread that uses it. Dropping it closes the connection.
#[derive(Debug)]
pub(super) struct ConnectionThread {
    /// `None` while it is being dropped.
    queue: Option<mpsc::Sender<Work>>,
    thread: Option<JoinHandle<()>>,
}

impl ConnectionThread {
    /// Starts a thread for this connection.
    pub(super) fn start(connection: Connection) -> Result<Self> {
        let (queue, works) = mpsc::channel(QUEUE);
        let thread = std::thread::Builder::new().name("posthaste-sqlite".into()).spawn(|| serve(connection, works));
        let thread = thread.map_err(|error| Error::new(Kind::Unavailable, "no thread for SQLite").caused_by(error))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Does the work on the thread and returns its result. What was started is finished even if nobody waits for it any more.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        let work: Work = Box::new(move |connection| {
            // Nobody waits any more, and nobody misses it.
            drop(answer.send(work(connection)));
        });
        if let Some(queue) = &self.queue {
            // The thread lives as long as this.
            drop(queue.send(work).await);
        }
        answered.await.unwrap_or_else(|_| Err(Error::new(Kind::Unavailable, "a call to SQLite panicked")))
    }
}

fn serve(mut connection: Connection, mut works: mpsc::Receiver<Work>) {
    while let Some(work) = works.blocking_recv() {
        // What was under way is rolled back, and its caller learns that there is no answer.
        drop(catch_unwind(AssertUnwindSafe(|| work(&mut connection))));
    }
}

/// Waits until the connection is closed, which is when SQLite tidies up its files.
impl Drop for ConnectionThread {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
