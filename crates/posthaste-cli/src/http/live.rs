//! What the pages show live: the state of now, as an answer and as a stream, and figures over time.
//!
//! ```text
//!   relay ──monitor──► recorder (every second) ──► series in memory ──► /series, sparklines
//!   store ◄─one overview a second at most─┘  └──► the document of now ──► /now, /stream to everyone
//! ```
//!
//! However many people watch, there is one recorder: they all read what it has made.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Query as RawQuery, State};
use axum::http::{HeaderValue, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use jiff::Timestamp;
use posthaste::inspect::{Job, Overview};
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

use self::blocked::BlockedSince;
use self::series::{Level, Series};
use super::App;
use super::problem::Problem;
use super::query::{Nothing, Pairs, Query};

mod blocked;
pub mod now;
pub mod recorder;
pub mod series;
mod traffic;

/// Whoever asked for the state of now within this time counts as watching.
const ATTENTION: Duration = Duration::from_secs(10);

/// How long an answer waits for the first look at the store.
const FIRST_LOOK: Duration = Duration::from_secs(5);

/// What the recorder keeps and the routes read.
pub struct Live {
    series: Mutex<Series>,
    seen: Mutex<Option<Seen>>,
    /// The document of now, made once for all who watch; empty until there is one.
    document: watch::Sender<Document>,
    watchers: AtomicUsize,
    asked: Mutex<Option<Instant>>,
    /// Somebody has begun to watch.
    begin: Notify,
}

/// What the store last said.
#[derive(Clone)]
pub struct Seen {
    overview: Arc<Overview>,
    /// The latest.
    jobs: Vec<Job>,
    blocked_since: Arc<BlockedSince>,
    at: Timestamp,
    asked: Instant,
}

/// The state of now as it is sent, and why the store does not answer, if it does not.
#[derive(Clone, Default)]
struct Document {
    now: Option<Arc<str>>,
    error: Option<Arc<str>>,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            series: Mutex::default(),
            seen: Mutex::default(),
            document: watch::Sender::new(Document::default()),
            watchers: AtomicUsize::new(0),
            asked: Mutex::default(),
            begin: Notify::new(),
        }
    }
}

impl Live {
    pub fn series(&self) -> MutexGuard<'_, Series> {
        self.series.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self) -> MutexGuard<'_, Option<Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn attention(&self) -> MutexGuard<'_, Option<Instant>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether somebody watches.
    fn is_watched(&self) -> bool {
        self.watchers.load(Ordering::Relaxed) > 0 || self.attention().is_some_and(|at| at.elapsed() < ATTENTION)
    }

    /// Somebody asks once, and is likely to ask again.
    fn attend(&self) {
        let before = self.is_watched();
        *self.attention() = Some(Instant::now());
        if !before {
            self.begin.notify_one();
        }
    }
}

/// One who watches a stream, until it is dropped.
struct Watcher(App);

impl Watcher {
    fn new(app: App) -> Self {
        app.0.live.watchers.fetch_add(1, Ordering::Relaxed);
        app.0.live.begin.notify_one();
        Self(app)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.0.0.live.watchers.fetch_sub(1, Ordering::Relaxed);
    }
}

pub async fn now(State(app): State<App>) -> Result<Response, Problem> {
    let live = &app.0.live;
    live.attend();
    let mut documents = live.document.subscribe();
    let known = |document: &Document| document.now.is_some() || document.error.is_some();
    let first = tokio::time::timeout(FIRST_LOOK, documents.wait_for(known)).await;
    let document = first.ok().and_then(|found| found.ok().map(|document| document.clone())).unwrap_or_default();
    match (document.now, document.error) {
        (Some(now), _) => {
            let mut response = now.to_string().into_response();
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            Ok(response)
        }
        (None, error) => Err(Problem::new(503, error.as_deref().unwrap_or("the store has not answered yet"))),
    }
}

pub async fn stream(State(app): State<App>) -> impl IntoResponse {
    let documents = app.0.live.document.subscribe();
    let events = Sse::new(events(Watcher::new(app), documents));
    let no_store = [(header::CACHE_CONTROL, "no-store"), (header::HeaderName::from_static("x-accel-buffering"), "no")];
    (no_store, events.keep_alive(KeepAlive::new().interval(Duration::from_secs(10))))
}

/// The last known at once, and then whatever the recorder makes.
fn events(watcher: Watcher, mut documents: watch::Receiver<Document>) -> impl Stream<Item = Result<Event, Infallible>> {
    documents.mark_changed();
    stream::unfold((watcher, documents, None::<Event>), async |(watcher, mut documents, mut second)| {
        if let Some(event) = second.take() {
            return Some((Ok(event), (watcher, documents, None)));
        }
        loop {
            documents.changed().await.ok()?;
            let document = documents.borrow_and_update().clone();
            let event = |name: &str, data: &str| Event::default().event(name).data(data).retry(Duration::from_secs(1));
            let failed = document.error.map(|text| event("error", &json!({ "detail": &*text }).to_string()));
            match (document.now.map(|now| event("now", &now)), failed) {
                (Some(now), failed) => return Some((Ok(now), (watcher, documents, failed))),
                (None, Some(failed)) => return Some((Ok(failed), (watcher, documents, None))),
                (None, None) => {}
            }
        }
    })
}

pub async fn series(State(app): State<App>, RawQuery(pairs): Pairs) -> Result<Json<Value>, Problem> {
    let mut query = Query::new(pairs)?;
    let window = |text: &str| Level::of(text).ok_or_else(|| "write 10m, 1h or 24h".to_owned());
    let (place, level) =
        query.take("window", window)?.map_or_else(|| window("10m"), Ok).map_err(Problem::bad_request)?;
    let only = query.take_text("destination")?;
    query.rest::<Nothing>()?;
    app.0.live.attend();
    let (start, destinations) = app.0.live.series().window(recorder::second(), place, level, only.as_deref());
    Ok(Json(json!({
        "window": level.window,
        "step_seconds": level.step,
        "start": start,
        "points": level.points,
        "destinations": destinations,
    })))
}

#[cfg(test)]
impl App {
    /// Changes whenever the recorder has looked.
    pub fn looks_for_test(&self) -> watch::Receiver<impl Sized> {
        self.0.live.document.subscribe()
    }

    /// As if the recorder had seen this.
    pub fn record_for_test(&self, second: u64, destination: &str, sample: series::Sample) {
        self.0.live.series().record(second, destination, sample);
    }
}
