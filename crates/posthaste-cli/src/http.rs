//! The relay's HTTP server: health, metrics, everything the command line can do, and the dashboard.
//!
//! One list of routes (`routes::ROUTES`) makes the router, says who may call what, and makes the OpenAPI document. The tests go
//! through the same list. Errors are `application/problem+json`.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use axum::Router;
use axum::middleware::from_fn_with_state;
use posthaste::inspect::Overview;
use posthaste::relay::Monitor;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use self::access::Access;
use self::live::Live;
pub use self::openapi::document;
pub use self::pages::Files;
use self::problem::Problem;
use self::workers::Moves;
use crate::config::{HttpPlan, ReadyPlan};
use crate::operator::Operator;

mod access;
mod audit;
mod changes;
mod destinations;
mod failures;
mod health;
mod jobs;
mod lanes;
mod live;
mod messages;
pub mod metrics;
mod openapi;
mod pages;
mod problem;
mod query;
mod routes;
mod selections;
mod session;
mod settle;
mod setup;
mod source_changes;
mod status;
#[cfg(test)]
mod tests;
mod workers;

/// Counting may be costly: a second request within this time gets the same overview.
const OVERVIEW_TTL: Duration = Duration::from_secs(1);

/// What handlers share.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    operator: Mutex<Operator>,
    monitor: Monitor,
    access: Access,
    files: Files,
    ready: ReadyPlan,
    stopping: AtomicBool,
    overview: tokio::sync::Mutex<Option<(Instant, Arc<Overview>)>>,
    live: Live,
    moves: Mutex<Moves>,
}

impl App {
    pub fn new(plan: &HttpPlan, operator: Operator, monitor: Monitor, files: Files) -> Self {
        Self(Arc::new(Inner {
            operator: Mutex::new(operator),
            monitor,
            access: Access::new(plan),
            files,
            ready: plan.ready,
            stopping: AtomicBool::new(false),
            overview: tokio::sync::Mutex::default(),
            live: Live::default(),
            moves: Mutex::default(),
        }))
    }

    fn operator(&self) -> Operator {
        self.0.operator.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn files(&self) -> &Files {
        &self.0.files
    }

    fn moves(&self) -> MutexGuard<'_, Moves> {
        self.0.moves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The config was read again.
    pub fn replace(&self, operator: Operator) {
        *self.0.operator.lock().unwrap_or_else(PoisonError::into_inner) = operator;
    }

    /// From now on `/readyz` answers that the relay stops.
    pub fn stopping(&self) {
        self.0.stopping.store(true, Ordering::Relaxed);
    }

    async fn overview(&self) -> posthaste::Result<Arc<Overview>> {
        let mut kept = self.0.overview.lock().await;
        match &*kept {
            Some((at, overview)) if at.elapsed() < OVERVIEW_TTL => Ok(overview.clone()),
            _ => {
                let overview = Arc::new(self.operator().overview().await?);
                *kept = Some((Instant::now(), overview.clone()));
                Ok(overview)
            }
        }
    }

    /// Every route of the list, guarded.
    fn router(&self) -> Router {
        let mut router = pages::routes();
        for route in routes::ROUTES {
            let guard = from_fn_with_state((self.clone(), route.role), access::authorise);
            router = router.route(route.path, (route.handler)().layer(guard));
        }
        let unknown = async || Problem::new(404, "no such route: /openapi.json lists them");
        let wrong = async || Problem::new(405, "this route knows other methods: /openapi.json lists them");
        router.fallback(unknown).method_not_allowed_fallback(wrong).with_state(self.clone())
    }
}

/// A running server; gone when dropped.
pub struct Server {
    pub app: App,
    pub address: SocketAddr,
    task: JoinHandle<()>,
    recorder: JoinHandle<()>,
}

impl Server {
    /// Listens, or says why that is impossible.
    #[expect(clippy::disallowed_methods, reason = "the server's own tasks, ended with it")]
    pub async fn start(plan: &HttpPlan, operator: Operator, monitor: Monitor, files: Files) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(plan.bind).await.with_context(|| format!("cannot listen on {}", plan.bind))?;
        let address = listener.local_addr()?;
        let app = App::new(plan, operator, monitor, files);
        let router = app.router();
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "the HTTP server has ended");
            }
        });
        let recorder = tokio::spawn(live::recorder::run(app.clone()));
        Ok(Self { app, address, task, recorder })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
        self.recorder.abort();
    }
}
