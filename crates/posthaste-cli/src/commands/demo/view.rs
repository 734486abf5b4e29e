//! What is seen while the demo runs: a live table on a terminal, a line a second elsewhere, nothing with `--json`.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use posthaste::inspect::{DestinationCounts, Overview};
use posthaste::relay::{DestinationSnapshot, Snapshot};

use super::live::Live;
use super::order_service::OrderService;
use crate::output::paint::Hue;
use crate::output::table::{Field, Table};
use crate::output::{Output, plain, thousands};

#[derive(Debug)]
pub struct View {
    output: Output,
    /// Whether stdout is a terminal.
    terminal: bool,
    orders: u32,
    began: Instant,
    live: Live,
    last_line: Option<Instant>,
    /// Delivered at the frame before, for the rate.
    before: Option<(Instant, Snapshot)>,
}

impl View {
    pub fn new(output: Output, orders: u32) -> Self {
        let terminal = io::stdout().is_terminal();
        Self { output, terminal, orders, began: Instant::now(), live: Live::default(), last_line: None, before: None }
    }

    /// Between two frames.
    pub fn interval(&self) -> Duration {
        Duration::from_millis(250)
    }

    /// The `last` frame is shown in any case.
    pub fn show(
        &mut self,
        service: &OrderService,
        snapshot: &Snapshot,
        overview: &Overview,
        last: bool,
    ) -> io::Result<()> {
        if self.output.json || snapshot.destinations.is_empty() {
            return Ok(());
        }
        if self.terminal {
            let frame = self.frame(service, snapshot, overview);
            self.before = Some((Instant::now(), snapshot.clone()));
            return self.live.draw(&frame);
        }
        if last || self.last_line.is_none_or(|then| then.elapsed() >= Duration::from_secs(1)) {
            self.last_line = Some(Instant::now());
            return self.output.line(self.progress(service, snapshot, overview));
        }
        Ok(())
    }

    fn frame(&self, service: &OrderService, snapshot: &Snapshot, overview: &Overview) -> String {
        let mut table = Table::new([
            "DESTINATION",
            ">DELIVERED",
            ">PER SECOND",
            ">IN FLIGHT",
            ">LAG",
            ">PENDING",
            ">RETRYING",
            ">WAITING",
            ">DEAD",
            "STATUS",
        ]);
        for (seen, counts) in pairs(snapshot, overview) {
            table.row([
                Field::from(&seen.name),
                Field::number(seen.delivered),
                Field::number(self.rate(seen)),
                Field::number(seen.in_flight as u64),
                Field::from(lag(counts)),
                Field::number(counts.pending),
                Field::alarming(counts.retrying, Hue::Waiting),
                Field::alarming(counts.waiting, Hue::Waiting),
                Field::alarming(counts.dead, Hue::Bad),
                status(seen),
            ]);
        }
        let head = format!("{} {}", self.output.paint.bold("posthaste demo"), self.head(service));
        format!("{head}\n\n{}", table.render(self.output.paint))
    }

    fn head(&self, service: &OrderService) -> String {
        let orders =
            format!("{} of {} orders written", thousands(service.orders_begun().into()), thousands(self.orders.into()));
        let early = if service.ended_early() { " (ended early: the disk is slow)" } else { "" };
        format!("{:>5.1} s  {orders}{early}", self.began.elapsed().as_secs_f64())
    }

    /// Since the frame before.
    fn rate(&self, seen: &DestinationSnapshot) -> u64 {
        let Some((then, before)) = &self.before else { return 0 };
        let delivered =
            before.destinations.iter().find(|earlier| earlier.name == seen.name).map_or(0, |earlier| earlier.delivered);
        let passed = then.elapsed().as_secs_f64().max(0.001);
        (seen.delivered.saturating_sub(delivered) as f64 / passed) as u64
    }

    fn progress(&self, service: &OrderService, snapshot: &Snapshot, overview: &Overview) -> String {
        let destinations = pairs(snapshot, overview).map(|(seen, counts)| {
            let parked = thousands(counts.retrying + counts.waiting);
            let (delivered, pending) = (thousands(seen.delivered), thousands(counts.pending));
            let (dead, outage) = (thousands(counts.dead), if seen.outage.is_some() { ", OUTAGE" } else { "" });
            format!(
                "  |  {}: {delivered:>6} delivered, {pending} pending, {parked} parked, {dead} dead{outage}",
                seen.name
            )
        });
        self.head(service) + &destinations.collect::<String>()
    }
}

/// Nothing is left to do but what is dead.
pub fn is_settled(overview: &Overview) -> bool {
    let open = |counts: &DestinationCounts| counts.pending + counts.retrying + counts.waiting + counts.replay;
    overview.destinations.len() == 2 && overview.destinations.iter().map(open).sum::<u64>() == 0
}

fn pairs<'a>(
    snapshot: &'a Snapshot,
    overview: &'a Overview,
) -> impl Iterator<Item = (&'a DestinationSnapshot, &'a DestinationCounts)> {
    snapshot
        .destinations
        .iter()
        .filter_map(|seen| Some((seen, overview.destinations.iter().find(|counts| counts.destination == seen.name)?)))
}

fn lag(counts: &DestinationCounts) -> String {
    counts.oldest_pending_seconds.map_or("-".into(), |seconds| format!("{seconds:.1}s"))
}

fn status(seen: &DestinationSnapshot) -> Field {
    match &seen.outage {
        Some(error) => Field::from(format!("outage: {}", plain::cut(error, 40))).hue(Hue::Bad),
        None => Field::from("running").hue(Hue::Good),
    }
}
