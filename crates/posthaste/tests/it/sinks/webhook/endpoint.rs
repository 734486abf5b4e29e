//! A receiver of webhooks.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use posthaste::conformance::sink_suite::Arrived;
use posthaste::message::{Headers, MessageId};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// What the endpoint says to the next requests.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: String::new() }
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    accepted: bool,
}

impl Request {
    /// As UTF-8, which is what was sent, whatever HTTP thinks of it.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.headers.get(name).map(text)
    }

    pub(crate) fn id(&self) -> MessageId {
        self.header("idempotency-key")
            .expect("every request names its message, in any format")
            .parse()
            .expect("by its id")
    }

    pub(crate) fn message(&self) -> Arrived {
        const SINKS: [&str; 8] = [
            "accept",
            "authorization",
            "content-length",
            "content-type",
            "host",
            "idempotency-key",
            "user-agent",
            "transfer-encoding",
        ];
        let own =
            |name: &str| !SINKS.contains(&name) && !name.starts_with("posthaste-") && !name.starts_with("webhook-");
        let headers: Headers = self
            .headers
            .iter()
            .filter(|(name, _)| own(name.as_str()))
            .map(|(name, value)| (name.as_str(), text(value)))
            .collect();
        Arrived {
            id: self.id(),
            event_type: self.header("posthaste-event-type").expect("every request has its type"),
            key: self.header("posthaste-key"),
            tenant: self.header("posthaste-tenant"),
            correlation_id: self.header("posthaste-correlation-id"),
            headers,
            payload: self.body.clone(),
        }
    }
}

fn text(value: &HeaderValue) -> String {
    String::from_utf8(value.as_bytes().to_vec()).expect("headers are UTF-8")
}

#[derive(Default)]
struct Book {
    requests: Vec<Request>,
    answers: HashMap<MessageId, u16>,
    answer: Option<Answer>,
}

type Shared = Arc<Mutex<Book>>;

/// A running endpoint; gone when dropped.
pub(crate) struct Endpoint {
    address: SocketAddr,
    book: Shared,
    task: JoinHandle<()>,
}

impl Endpoint {
    pub(crate) async fn start() -> Self {
        Self::on("127.0.0.1:0").await
    }

    #[expect(clippy::disallowed_methods, reason = "the server of a test, which ends with it")]
    pub(crate) async fn on(address: &str) -> Self {
        let listener = TcpListener::bind(address).await.expect("a port is free");
        let (address, book) = (listener.local_addr().expect("it has an address"), Shared::default());
        let app = Router::new().fallback(receive).with_state(book.clone());
        let task = tokio::spawn(async move { axum::serve(listener, app).await.expect("the server runs") });
        Self { address, book, task }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().expect("no test holds it while it fails")
    }

    /// All that came but `HEAD`, which is the sink's way to look whether someone is there.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.book().requests.clone()
    }

    pub(crate) fn accepted(&self) -> Vec<Request> {
        self.requests().into_iter().filter(|request| request.accepted).collect()
    }

    pub(crate) fn answer_to(&self, id: MessageId, status: u16) {
        self.book().answers.insert(id, status);
    }

    pub(crate) fn answer(&self, answer: Answer) {
        self.book().answer = Some(answer);
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn receive(State(book): State<Shared>, method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    if method == Method::HEAD {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let mut request = Request { method, uri, headers, body: body.to_vec(), accepted: false };
    let mut book = book.lock().expect("no test holds it while it fails");
    let single = book.answers.get(&request.id()).map(|status| Answer::status(*status));
    let answer = single.or_else(|| book.answer.clone()).unwrap_or_else(|| Answer::status(202));
    request.accepted = (200..300).contains(&answer.status);
    book.requests.push(request);
    let mut response = (StatusCode::from_u16(answer.status).expect("a status"), answer.body).into_response();
    for (name, value) in answer.headers {
        response.headers_mut().append(name, value.parse().expect("a value"));
    }
    response
}
