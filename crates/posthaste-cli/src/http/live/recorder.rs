//! The one loop behind everything live.

use std::sync::Arc;
use std::time::{Duration, Instant};

use posthaste::inspect::Overview;

use super::blocked::Blocked;
use super::now::Now;
use super::series::{Sample, State};
use super::traffic::Counters;
use super::{Document, Seen};
use crate::clock;
use crate::http::{App, workers};

/// Between two looks at the relay, and at the store while somebody watches.
const STEP: Duration = Duration::from_secs(1);

/// Between two looks at the store while nobody watches: enough for a chart of the day.
const UNWATCHED: Duration = Duration::from_secs(60);

/// A store that takes long to answer is asked less often, so that it spends a tenth of its time on this at most.
const SHARE: u32 = 10;

/// Between two looks at who holds which partition: a move is noticed whether or not somebody looks at the workers.
const LEASES: Duration = Duration::from_secs(10);

/// Jobs that are looked at, the latest first.
const JOBS: usize = 20;

/// The second since 1970.
pub fn second() -> u64 {
    u64::try_from(clock::now().as_second()).unwrap_or_default()
}

/// Runs until its task ends.
pub async fn run(app: App) {
    let now = Instant::now();
    let mut recorder = Recorder {
        counters: Counters::default(),
        looked: now,
        next: now,
        leases: now,
        blocked: Blocked::default(),
        error: None,
    };
    loop {
        recorder.step(&app).await;
        tokio::select! {
            () = tokio::time::sleep(STEP) => {}
            () = app.0.live.begin.notified() => {}
        }
    }
}

struct Recorder {
    counters: Counters,
    looked: Instant,
    /// When the store may be asked again.
    next: Instant,
    /// When the leases are looked at again.
    leases: Instant,
    blocked: Blocked,
    /// Why it did not answer, if it did not.
    error: Option<Arc<str>>,
}

impl Recorder {
    async fn step(&mut self, app: &App) {
        self.look_at_relay(app);
        let watched = app.0.live.is_watched();
        let due = if watched { self.next } else { self.next + (UNWATCHED - STEP) };
        if Instant::now() >= due {
            let failed = self.ask_store(app).await.err();
            self.error = failed.map(|error| Arc::from(format!("the store does not answer: {error}")));
        }
        if watched {
            publish(app, self.error.clone());
        }
    }

    fn look_at_relay(&mut self, app: &App) {
        let elapsed = self.looked.elapsed().as_secs_f64();
        self.looked = Instant::now();
        let found = self.counters.since_last(&app.0.monitor, elapsed);
        let (mut series, second) = (app.0.live.series(), second());
        for (name, traffic) in found {
            series.record(second, &name, Sample { traffic: Some(traffic), state: None });
        }
    }

    async fn ask_store(&mut self, app: &App) -> posthaste::Result<()> {
        let began = Instant::now();
        let answer = app.overview().await;
        self.next = Instant::now() + STEP.max(began.elapsed() * (SHARE - 1)) - STEP / 10;
        let overview = answer?;
        note(app, &overview);
        let jobs = app.operator().jobs(None, JOBS).await?;
        let blocked_since = self.blocked.look(&app.operator(), &overview).await?;
        if began >= self.leases {
            self.leases = began + LEASES;
            workers::look(app).await?;
        }
        *app.0.live.seen() = Some(Seen { overview, jobs, blocked_since, at: clock::now(), asked: began });
        Ok(())
    }
}

/// Writes down what the store has now.
fn note(app: &App, overview: &Overview) {
    let (mut series, second) = (app.0.live.series(), second());
    for counts in &overview.destinations {
        let state = State {
            pending: counts.pending,
            oldest_pending_seconds: counts.oldest_pending_seconds,
            dead: counts.dead,
            held_keys: counts.held_keys,
        };
        series.record(second, &counts.destination, Sample { traffic: None, state: Some(state) });
    }
}

/// Makes the document of now, once for all who watch. It says how old what it shows is.
fn publish(app: &App, error: Option<Arc<str>>) {
    let live = &app.0.live;
    let seen = live.seen().clone();
    let now = seen.as_ref().and_then(|seen| document(app, seen));
    live.document.send_replace(Document { now, error });
}

fn document(app: &App, seen: &Seen) -> Option<Arc<str>> {
    let age = seen.asked.elapsed().as_secs_f64();
    let now = Now::of(seen, age, &app.0.live.series(), second());
    serde_json::to_string(&now).ok().map(Arc::from)
}
