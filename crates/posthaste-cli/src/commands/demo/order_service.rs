//! The order service: an ordinary application that writes its data and its events in one transaction each.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use posthaste::stores::sqlite::{self, Options};
use rusqlite::{Connection, TransactionBehavior, params};

use super::event::{OrderEvent, Record, Step, is_called_off};

const WRITERS: u32 = 4;
/// On a slow disk, no order is begun after this long.
const TIME_LIMIT: Duration = Duration::from_secs(12);

/// What the writers wrote.
#[derive(Debug, Default)]
pub struct Written {
    pub committed: Vec<Record>,
    /// Written in transactions that were rolled back: must not appear anywhere.
    pub rolled_back: Vec<Record>,
}

/// The writers at work.
#[derive(Debug)]
pub struct OrderService {
    orders: u32,
    started: Instant,
    time_limit: Duration,
    begun: Arc<AtomicU32>,
    writers: Vec<JoinHandle<anyhow::Result<Written>>>,
}

impl OrderService {
    /// Starts the writers. Without `may_end_early` they write all orders, however long it takes.
    pub fn start(
        path: &Path,
        orders: RangeInclusive<u32>,
        per_second: f64,
        may_end_early: bool,
    ) -> anyhow::Result<Self> {
        let create = "CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, state TEXT NOT NULL, ship_to TEXT NOT NULL) STRICT";
        connect(path)?.execute_batch(create)?;
        let (first, last) = orders.into_inner();
        let (begun, turn) = (Arc::new(AtomicU32::new(0)), Arc::new(Mutex::new(())));
        let time_limit = if may_end_early { TIME_LIMIT } else { Duration::MAX };
        let start = |number: u32| {
            let (path, begun, turn) = (path.to_owned(), begun.clone(), turn.clone());
            std::thread::spawn(move || {
                let written = Written::default();
                let pace = Pace { first, per_second };
                let writer = Writer { connection: connect(&path)?, begun, turn, time_limit, pace, written };
                writer.work((first..=last).filter(|order| order % WRITERS == number))
            })
        };
        let writers = (0..WRITERS).map(start).collect();
        Ok(Self { orders: last - first + 1, started: Instant::now(), time_limit, begun, writers })
    }

    pub fn orders_begun(&self) -> u32 {
        self.begun.load(Ordering::Relaxed)
    }

    pub fn is_half_way(&self) -> bool {
        self.orders_begun() >= self.orders / 2 || self.started.elapsed() > self.time_limit / 2 || self.is_done()
    }

    /// Whether the disk was too slow for all orders.
    pub fn ended_early(&self) -> bool {
        self.is_done() && self.orders_begun() < self.orders
    }

    pub fn is_done(&self) -> bool {
        self.writers.iter().all(JoinHandle::is_finished)
    }

    /// Waits for the writers.
    pub fn finish(&mut self) -> anyhow::Result<Written> {
        let mut all = Written::default();
        for writer in self.writers.drain(..) {
            let written = writer.join().map_err(|_| anyhow::anyhow!("a writer of the order service panicked"))??;
            all.committed.extend(written.committed);
            all.rolled_back.extend(written.rolled_back);
        }
        Ok(all)
    }
}

struct Writer {
    connection: Connection,
    begun: Arc<AtomicU32>,
    turn: Arc<Mutex<()>>,
    time_limit: Duration,
    pace: Pace,
    written: Written,
}

/// So many orders a second, counted from the first one.
#[derive(Clone, Copy)]
struct Pace {
    first: u32,
    per_second: f64,
}

impl Writer {
    /// While one order is being paid the next is created, so that the events of orders interleave.
    fn work(mut self, orders: impl Iterator<Item = u32>) -> anyhow::Result<Written> {
        let started = Instant::now();
        let mut open: Vec<(u32, usize)> = Vec::new();
        for order in orders {
            if started.elapsed() > self.time_limit {
                break;
            }
            self.pace.keep(started, order);
            self.begun.fetch_add(1, Ordering::Relaxed);
            open.insert(0, (order, 0));
            self.advance(&mut open)?;
        }
        while !open.is_empty() {
            self.advance(&mut open)?;
        }
        Ok(self.written)
    }

    /// Takes every open order one step further.
    fn advance(&mut self, open: &mut Vec<(u32, usize)>) -> anyhow::Result<()> {
        for (order, steps_done) in open.iter_mut() {
            let event = OrderEvent::new(*order, Step::ALL[*steps_done]);
            *steps_done = if self.take_turn(&event)? { *steps_done + 1 } else { Step::ALL.len() };
        }
        open.retain(|(_, steps_done)| *steps_done < Step::ALL.len());
        Ok(())
    }

    /// SQLite has one writer at a time, and the relay writes too: without pauses the writers would leave it no gap. So they take turns,
    /// and pause for a fraction of the time that they took.
    fn take_turn(&mut self, event: &OrderEvent) -> anyhow::Result<bool> {
        let turn = self.turn.clone();
        let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        let began = Instant::now();
        let committed = self.write(event)?;
        std::thread::sleep(began.elapsed() / 4);
        Ok(committed)
    }

    /// The whole idea of an outbox: the order and its event, in one transaction. False if it was rolled back.
    fn write(&mut self, event: &OrderEvent) -> anyhow::Result<bool> {
        let message = event.message()?;
        let record = event.record(message.id);
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute(
            "INSERT INTO orders (id, state, ship_to) VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET state = excluded.state",
            params![event.order, event.step.event_type(), event.ship_to],
        )?;
        sqlite::Outbox::new().enqueue(&transaction, &[message])?;
        if is_called_off(event.order) {
            transaction.rollback()?;
            self.written.rolled_back.push(record);
            return Ok(false);
        }
        transaction.commit()?;
        self.written.committed.push(record);
        Ok(true)
    }
}

/// Waits long for the lock: four writers and a relay share one database.
fn connect(path: &Path) -> posthaste::Result<Connection> {
    sqlite::connect(path, &Options { busy_timeout: Duration::from_secs(30), ..Options::default() })
}

impl Pace {
    fn keep(self, started: Instant, order: u32) {
        let due = Duration::from_secs_f64(f64::from(order - self.first) / self.per_second);
        std::thread::sleep(due.saturating_sub(started.elapsed()));
    }
}
