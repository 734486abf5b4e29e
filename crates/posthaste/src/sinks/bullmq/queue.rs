//! One queue: the jobs that are waited for, and who finds out that they ended.
//!
//! A queue's events are a hint about which jobs to look at, and the job itself is the truth: events are trimmed, and get lost with a
//! connection. They are read from before a job is added on; all jobs are looked at now and then, and after every gap.
//!
//! ```text
//!   expect(job) ──► listen ──► add ──► wait: told, or, where nobody reads, read for everyone and tell them
//! ```
//! There is no task for that: of those who wait, one holds `reading`. When it has been told, or is dropped, the next one goes on.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::events::Events;
use super::publish::look;
use super::verdict::{Ended, from_client};
use crate::sink::Error;
use crate::sink::redis_client::Connection;

/// Between two looks at every job that is waited for.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// Jobs that are looked at in one call: while a script runs nobody else is served.
const LOOK_AT_ONCE: usize = 500;

/// How a job ended, or why nobody can say.
pub(super) type Told = Result<Ended, Error>;

pub(super) struct Queue {
    /// What the names of its keys start with.
    pub(super) base: String,
    commands: Arc<Connection>,
    waiting: Mutex<Waiting>,
    reading: tokio::sync::Mutex<Reading>,
}

#[derive(Default)]
struct Waiting {
    /// Every event from now on will be read.
    listening: bool,
    jobs: HashMap<String, Waiter>,
    tickets: u64,
}

struct Waiter {
    ticket: u64,
    tell: oneshot::Sender<Told>,
}

struct Reading {
    events: Events,
    looked_at: Instant,
    /// The events before could not be read.
    failed: bool,
}

impl Queue {
    pub(super) fn new(base: String, commands: Arc<Connection>, events: Connection) -> Self {
        let events = Events::new(&base, events);
        let reading = Reading { events, looked_at: Instant::now(), failed: false };
        Self { base, commands, waiting: Mutex::default(), reading: tokio::sync::Mutex::new(reading) }
    }

    /// From now on the holder of the ticket is told how the job ended.
    pub(super) fn expect(self: &Arc<Self>, id: &str) -> Ticket {
        let (tell, told) = oneshot::channel();
        let mut waiting = self.waiting();
        waiting.tickets += 1;
        let ticket = waiting.tickets;
        waiting.jobs.insert(id.to_owned(), Waiter { ticket, tell });
        Ticket { queue: self.clone(), id: id.to_owned(), ticket, told }
    }

    /// Sees to it that no event from now on is missed.
    pub(super) async fn listen(&self) -> Result<(), Error> {
        if self.waiting().listening {
            return Ok(());
        }
        let mut reading = self.reading.lock().await;
        if !self.waiting().listening {
            let begun = reading.events.begin(&self.commands).await;
            begun.map_err(|error| from_client(&error, &self.commands))?;
            reading.looked_at = Instant::now();
            self.waiting().listening = true;
        }
        Ok(())
    }

    /// Reads some events, and tells those who wait for what they are about.
    async fn read(&self, reading: &mut Reading) {
        let read = reading.events.next().await;
        let ids = match &read {
            Ok(ids) if reading.looked_at.elapsed() < LOOK_INTERVAL => self.waited_for(ids),
            _ => self.all(),
        };
        if ids.len() == self.waiting().jobs.len() {
            reading.looked_at = Instant::now();
        }
        let failed_before = std::mem::replace(&mut reading.failed, read.is_err());
        let looked = self.look_at(&ids).await;
        match (read, looked) {
            (_, Err(error)) => self.give_up(&error),
            (Err(error), _) if failed_before => self.give_up(&from_client(&error, &self.commands)),
            _ => {}
        }
    }

    async fn look_at(&self, ids: &[String]) -> Result<(), Error> {
        for ids in ids.chunks(LOOK_AT_ONCE) {
            let looked = look(&self.commands, &self.base, ids).await?;
            for (id, ended) in ids.iter().zip(looked) {
                if let Some(ended) = ended {
                    self.tell(id, Ok(ended));
                }
            }
        }
        Ok(())
    }

    fn waited_for(&self, ids: &[String]) -> Vec<String> {
        let waiting = self.waiting();
        ids.iter().filter(|id| waiting.jobs.contains_key(*id)).cloned().collect()
    }

    fn all(&self) -> Vec<String> {
        self.waiting().jobs.keys().cloned().collect()
    }

    fn tell(&self, id: &str, told: Told) {
        if let Some(waiter) = self.waiting().jobs.remove(id) {
            // One who has gone meanwhile asks again.
            drop(waiter.tell.send(told));
        }
    }

    /// Nobody can say how the jobs end.
    fn give_up(&self, error: &Error) {
        let mut waiting = self.waiting();
        waiting.listening = false;
        for (_, waiter) in waiting.jobs.drain() {
            drop(waiter.tell.send(Err(error.clone())));
        }
    }

    /// Whole after every single change, so a panic elsewhere spoils nothing.
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to be told how a job ended.
pub(super) struct Ticket {
    queue: Arc<Queue>,
    id: String,
    ticket: u64,
    told: oneshot::Receiver<Told>,
}

impl Ticket {
    /// Waits for the end of the job, and reads for everyone if nobody else does.
    pub(super) async fn wait(mut self) -> Told {
        let queue = self.queue.clone();
        loop {
            tokio::select! {
                biased;
                told = &mut self.told => return told.unwrap_or_else(|_| Err(Error::retry("someone else waits for the job"))),
                mut reading = queue.reading.lock() => queue.read(&mut reading).await,
            }
        }
    }
}

/// Where nobody waits, nobody reads: whoever comes next begins with the newest event.
impl Drop for Ticket {
    fn drop(&mut self) {
        let mut waiting = self.queue.waiting();
        if let Entry::Occupied(waiter) = waiting.jobs.entry(std::mem::take(&mut self.id))
            && waiter.get().ticket == self.ticket
        {
            waiter.remove();
        }
        if waiting.jobs.is_empty() {
            waiting.listening = false;
        }
    }
}
