//! One subject, measured once.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use super::Figures;
use super::programs::{Programs, Working, answer};
use super::subject::{Peer, Subject, Worker};
use crate::bench::database::{Postgres, Spent};
use crate::bench::shipped::{Destinations, Redis, Relay};
use crate::bench::waits::{At, Waits};

/// Messages that are written one by one.
const SINGLE: usize = 2_000;
/// A thousand a second for three seconds: messages, writers, milliseconds between two of one writer.
const BUSY: [&str; 3] = ["3000", "4", "4"];
/// One at a time, while nothing else happens.
const IDLE: [&str; 3] = ["40", "1", "200"];
/// Whoever has just started has things to do that it does not do later.
const SETTLE: Duration = Duration::from_secs(1);

/// The servers and programs of a run.
pub struct Stage {
    pub postgres: Postgres,
    redis: Redis,
    programs: Programs,
}

impl Stage {
    pub fn set(programs: Programs) -> Result<Self> {
        Ok(Self { postgres: Postgres::start()?, redis: Redis::start()?, programs })
    }

    pub fn measure(&mut self, subject: &Subject, messages: usize) -> Result<Figures> {
        let name = "subject";
        let url = self.postgres.create(name)?;
        let figures = self.measure_in(&url, subject, messages).with_context(|| subject.name)?;
        self.postgres.remove(name)?;
        Ok(figures)
    }

    fn measure_in(&mut self, url: &str, subject: &Subject, messages: usize) -> Result<Figures> {
        let mut figures = Figures::new();
        self.prepare(url, subject)?;
        let (seconds, spent) = self.write("bulk", url, subject, messages)?;
        insert(&mut figures, ["bulk_us", "bulk_cpu_us", "bulk_wal"], messages, seconds, spent);
        let (drained, spent) = self.drain(url, subject, messages)?;
        figures.insert("drain_per_s", messages as f64 / drained.seconds);
        figures.insert("drain_cpu_us", spent.cpu_seconds * 1e6 / messages as f64);
        figures.insert("drain_wal", spent.wal_bytes / messages as f64);
        figures.extend(drained.memory_mb.map(|memory| ("memory_mb", memory)));
        if subject.waits_are_measured() {
            let busy = self.waits(url, subject, BUSY)?;
            figures.extend([("busy_p50_ms", busy.p50), ("busy_p99_ms", busy.p99)]);
            let idle = self.waits(url, subject, IDLE)?;
            figures.extend([("idle_p50_ms", idle.p50), ("idle_p99_ms", idle.p99)]);
            let (seconds, spent) = self.write("single", url, subject, SINGLE)?;
            insert(&mut figures, ["single_us", "single_cpu_us", "single_wal"], SINGLE, seconds, spent);
        }
        Ok(figures)
    }

    fn prepare(&self, url: &str, subject: &Subject) -> Result<()> {
        match subject.peer {
            Peer::Posthaste => self.programs.shipped.migrate(url),
            peer => crate::step::quietly(&mut self.programs.command(peer, 0, &["prepare", url])),
        }
    }

    /// Writes messages; how many seconds that took, and what the server spent.
    fn write(&self, how: &str, url: &str, subject: &Subject, messages: usize) -> Result<(f64, Spent)> {
        let command = self.programs.command(subject.peer, subject.keys, &[how, url, &messages.to_string()]);
        self.postgres.spent_on(|| seconds(&answer(command)?))
    }

    /// Drains what was just written, without statistics of it; and what the server spent until all was recorded.
    fn drain(&mut self, url: &str, subject: &Subject, messages: usize) -> Result<(Drained, Spent)> {
        let Self { postgres, redis, programs } = self;
        postgres.spent_on(|| match subject.worker {
            Worker::Itself => {
                let said = answer(programs.command(subject.peer, 0, &["drain", url, &messages.to_string()]))?;
                Ok(Drained { seconds: seconds(&said)?, memory_mb: None })
            }
            Worker::Stdout => {
                let mut relay = programs.shipped.run(url, &Destinations::stdout(1))?;
                let took = relay.until_lines(messages)?;
                Drained::by(relay, took)
            }
            Worker::Redis => {
                redis.clear()?;
                let mut relay = programs.shipped.run(url, &Destinations::Redis(redis.address()))?;
                let took = until_length(&mut relay, redis, messages)?;
                Drained::by(relay, took)
            }
        })
    }

    /// How long messages wait that are written at some pace.
    fn waits(&self, url: &str, subject: &Subject, pace: [&str; 3]) -> Result<Waits> {
        let [messages, writers, gap] = pace;
        let paced =
            || answer(self.programs.command(subject.peer, subject.keys, &["paced", url, messages, writers, gap]));
        if subject.worker == Worker::Itself {
            let command = self.programs.command(subject.peer, 0, &["follow", url, messages]);
            let working = Working::start(command)?;
            std::thread::sleep(SETTLE);
            let acknowledged: Vec<At> = paced()?;
            return Waits::between(&acknowledged, &working.answer::<Vec<At>>()?);
        }
        let mut relay = self.programs.shipped.run(url, &Destinations::stdout(1))?;
        std::thread::sleep(SETTLE);
        relay.lines().look_for_numbers();
        let acknowledged: Vec<At> = paced()?;
        relay.until_lines(acknowledged.len())?;
        let waits = Waits::between(&acknowledged, &relay.lines().handled())?;
        relay.stop()?;
        Ok(waits)
    }
}

/// From the start to the last message; of the shipped program, with all that a start costs.
struct Drained {
    seconds: f64,
    /// The most that the shipped program had.
    memory_mb: Option<f64>,
}

impl Drained {
    fn by(relay: Relay, took: Duration) -> Result<Self> {
        let memory_mb = Some(relay.peak_memory_mb()?);
        relay.stop()?;
        Ok(Self { seconds: took.as_secs_f64(), memory_mb })
    }
}

/// Asked often enough to know the moment, and seldom enough not to be felt.
fn until_length(relay: &mut Relay, redis: &mut Redis, messages: usize) -> Result<Duration> {
    let mut failed = None;
    let took = relay.until(|_| match redis.length() {
        Ok(length) => (length >= messages).then(Instant::now),
        Err(error) => {
            failed = Some(error);
            Some(Instant::now())
        }
    })?;
    failed.map_or(Ok(took), Err)
}

fn seconds(said: &Value) -> Result<f64> {
    said["seconds"].as_f64().context("no seconds")
}

/// Time, processor time of the server and bytes of its log, each for one message.
fn insert(figures: &mut Figures, names: [&'static str; 3], messages: usize, seconds: f64, spent: Spent) {
    let values = [seconds * 1e6, spent.cpu_seconds * 1e6, spent.wal_bytes];
    figures.extend(names.into_iter().zip(values.map(|value| value / messages as f64)));
}
