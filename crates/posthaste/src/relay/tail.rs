//! One read for all destinations that are at the same place. What is decided about it is in [`engine::Tail`](crate::engine::Tail).

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::engine::mistakes::Mistakes;
use crate::engine::{Asked, ReadId, Tail};
use crate::error::Result;
use crate::journal::{Batch, Journal, ReadRequest};

/// The journal's end as the destinations of one worker read it.
#[derive(Debug)]
pub(super) struct SharedTail {
    /// When the time of the tail began.
    epoch: Instant,
    tail: Mutex<Tail>,
    ended: Notify,
}

impl SharedTail {
    /// Keeps so much at most.
    pub(super) fn new(most_bytes: usize) -> Self {
        Self { epoch: Instant::now(), tail: Mutex::new(Tail::new(most_bytes, Mistakes::NONE)), ended: Notify::new() }
    }

    /// Reads what nobody has read, and answers the rest from memory.
    pub(super) async fn read(&self, journal: &(impl Journal + ?Sized), request: &ReadRequest) -> Result<Batch> {
        loop {
            let ended = self.ended.notified();
            let asked = self.lock().ask(self.epoch.elapsed(), request);
            match asked {
                Asked::Known(batch) => return Ok(batch),
                Asked::UnderWay => ended.await,
                Asked::Read(id) => {
                    let reading = Reading { shared: self, id };
                    let batch = journal.read(request).await?;
                    reading.succeeded(&batch);
                    return Ok(batch);
                }
            }
        }
    }

    /// Lanes are opened anew.
    pub(super) fn forget(&self) {
        self.lock().forget();
        self.ended.notify_waiters();
    }

    /// The tail is whole after every single change, so a panic elsewhere spoils nothing.
    fn lock(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A read that may be given up at any time; whoever waits for it is told.
struct Reading<'a> {
    shared: &'a SharedTail,
    id: ReadId,
}

impl Reading<'_> {
    fn succeeded(self, batch: &Batch) {
        self.shared.lock().answered(self.shared.epoch.elapsed(), self.id, Some(batch));
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.shared.lock().answered(self.shared.epoch.elapsed(), self.id, None);
        self.shared.ended.notify_waiters();
    }
}
