//! An endpoint as partners have them: mostly it takes what it gets.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;

use crate::record::{Done, Record};
use crate::{Failure, ready};

/// Longer than a relay waits here.
const TOO_LONG: Duration = Duration::from_secs(4);
const REFUSED_TYPE: &str = "order.refused";

#[derive(Debug, Clone, Copy)]
struct Endpoint {
    seed: u64,
    record: &'static Record,
    requests: &'static AtomicU64,
}

/// The path of a request names the relay that made it.
pub(super) async fn serve(bind: SocketAddr, seed: u64, record: &'static Record) -> Result<(), Failure> {
    let endpoint = Endpoint { seed, record, requests: Box::leak(Box::default()) };
    let routes = Router::new().route("/{relay}", post(take)).with_state(endpoint);
    let listener = tokio::net::TcpListener::bind(bind).await?;
    ready(Some(listener.local_addr()?));
    Ok(axum::serve(listener, routes).await?)
}

async fn take(
    State(endpoint): State<Endpoint>,
    Path(relay): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let done = endpoint.chosen(header("posthaste-event-type"));
    endpoint.record.note(&relay, header("webhook-id"), &body, done);
    match done {
        Done::Taken => StatusCode::NO_CONTENT,
        Done::Refused => StatusCode::UNPROCESSABLE_ENTITY,
        Done::Failed => StatusCode::SERVICE_UNAVAILABLE,
        Done::TakenInSilence => {
            tokio::time::sleep(TOO_LONG).await;
            StatusCode::NO_CONTENT
        }
    }
}

impl Endpoint {
    /// Of a thousand requests ten fail and one is taken in silence.
    fn chosen(&self, event_type: &str) -> Done {
        if event_type == REFUSED_TYPE {
            return Done::Refused;
        }
        let mut hasher = DefaultHasher::new();
        (self.seed, self.requests.fetch_add(1, Ordering::Relaxed)).hash(&mut hasher);
        match hasher.finish() % 1_000 {
            0 => Done::TakenInSilence,
            1..=10 => Done::Failed,
            _ => Done::Taken,
        }
    }
}
