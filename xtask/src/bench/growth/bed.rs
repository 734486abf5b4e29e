//! One cell, measured: a journal of its kind is filled, drained, and then written to at some pace.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::Figures;
use super::axis::Cell;
use crate::bench::database::Postgres;
use crate::bench::peers::{Peer, Programs, answer};
use crate::bench::shipped::{Destinations, Lines, Relay};
use crate::bench::waits::{At, Waits};

const DATABASE: &str = "growth";

/// The server and the programs.
pub struct Bed {
    postgres: Postgres,
    programs: Programs,
}

impl Bed {
    pub fn make(programs: Programs) -> Result<Self> {
        Ok(Self { postgres: Postgres::start()?, programs })
    }

    pub fn version(&self) -> Result<String> {
        self.postgres.version()
    }

    pub fn measure(&self, cell: &Cell) -> Result<Figures> {
        let url = self.postgres.create(DATABASE)?;
        let figures = self.measure_in(&url, cell).with_context(|| format!("{cell:?}"))?;
        self.postgres.remove(DATABASE)?;
        Ok(figures)
    }

    fn measure_in(&self, url: &str, cell: &Cell) -> Result<Figures> {
        self.programs.shipped.migrate(url)?;
        self.park(url, cell)?;
        self.fill(cell.backlog, cell, "NULL")?;
        let destinations = Destinations::stdout(cell.destinations);
        let mut relays = Relays::start(cell.workers, || self.programs.shipped.run(url, &destinations))?;
        let deliveries = cell.backlog * cell.destinations;
        let drain_per_s = deliveries as f64 / relays.until_lines(deliveries)?.as_secs_f64();
        let waits = self.waits(url, cell, &mut relays, deliveries)?;
        let memory_mb = relays.peak_memory_mb()?;
        relays.stop()?;
        Ok(Figures { drain_per_s, p50_ms: waits.p50, p99_ms: waits.p99, memory_mb })
    }

    /// With messages that are due tomorrow, which a relay sets aside.
    fn park(&self, url: &str, cell: &Cell) -> Result<()> {
        if cell.parked == 0 {
            return Ok(());
        }
        self.fill(cell.parked, cell, "now() + interval '1 day'")?;
        let mut relay = self.programs.shipped.run(url, &Destinations::stdout(cell.destinations))?;
        relay.until(|_| {
            std::thread::sleep(Duration::from_millis(200));
            let parked = self.postgres.ask(DATABASE, "SELECT count(*) FROM posthaste.outbox_parked");
            (parked.ok()?.parse::<usize>().ok()? >= cell.parked).then(Instant::now)
        })?;
        relay.stop()
    }

    /// The server itself writes them, a thousand in each transaction.
    fn fill(&self, messages: usize, cell: &Cell, due_at: &str) -> Result<()> {
        let keys = if cell.keys == 0 { messages } else { cell.keys };
        let (bytes, last) = (cell.bytes.saturating_sub(30), messages.saturating_sub(1));
        let sql = format!(
            "DO $$ DECLARE filler text := left(
                 (SELECT string_agg(md5(n::text), '') FROM generate_series(0, {bytes} / 32) AS n), {bytes});
             BEGIN
                 FOR begin_at IN 0..{last} BY 1000 LOOP
                     INSERT INTO posthaste.outbox (event_type, aggregate_type, aggregate_id, due_at, payload)
                     SELECT 'order.placed', 'order', (n % {keys})::text, {due_at},
                            convert_to(format('{{\"order\":%s,\"filler\":\"%s\"}}', n, filler), 'UTF8')
                     FROM generate_series(begin_at, least(begin_at + 999, {last})) AS n;
                     COMMIT;
                 END LOOP;
             END $$"
        );
        self.postgres.ask(DATABASE, &sql).map(drop)
    }

    /// How long messages wait until the last destination has them, after everything else was delivered.
    fn waits(&self, url: &str, cell: &Cell, relays: &mut Relays, delivered: usize) -> Result<Waits> {
        let [messages, writers, gap] = cell.pace().map(|number| number.to_string());
        let mut writer = self.programs.command(Peer::Posthaste, cell.keys, &["paced", url, &messages, &writers, &gap]);
        writer.env("PEER_BYTES", cell.bytes.to_string());
        relays.lines().iter().for_each(Lines::look_for_numbers);
        let acknowledged: Vec<At> = answer(writer)?;
        relays.until_lines(delivered + acknowledged.len() * cell.destinations)?;
        let mut handled: Vec<At> = relays.lines().iter().flat_map(Lines::handled).collect();
        handled.sort_by_key(|(_, at)| *at);
        Waits::between(&acknowledged, &handled)
    }
}

/// Relays that share the work.
struct Relays(Vec<Relay>);

impl Relays {
    fn start(count: usize, start: impl Fn() -> Result<Relay>) -> Result<Self> {
        (0..count).map(|_| start()).collect::<Result<_>>().map(Self)
    }

    fn lines(&self) -> Vec<Lines> {
        self.0.iter().map(|relay| relay.lines().clone()).collect()
    }

    /// Waits until all of them together have delivered so much; how long after the start of the first that was.
    fn until_lines(&mut self, count: usize) -> Result<Duration> {
        let lines = self.lines();
        self.0.first_mut().context("a relay")?.until(|_| Lines::all_at(&lines, count))
    }

    /// Of the largest.
    fn peak_memory_mb(&self) -> Result<f64> {
        self.0.iter().try_fold(0.0, |most, relay| Ok(relay.peak_memory_mb()?.max(most)))
    }

    fn stop(self) -> Result<()> {
        self.0.into_iter().try_for_each(Relay::stop)
    }
}
