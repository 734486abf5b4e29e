//! Requests that no client of ours sends, by the million: an answer that says what is wrong, and nothing without a token.

use std::io;
use std::time::Duration;

use axum::serve::Listener;
use posthaste_hostile::{Outcome, Target, fields};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::sync::mpsc;

use super::*;

const WORDS: &[&str] = &[
    "GET",
    "POST",
    "PUT",
    "DELETE",
    "HEAD",
    "OPTIONS",
    "\x1f",
    "/api/v1/",
    "status",
    "deliveries",
    "messages/",
    "jobs",
    "session",
    "replay",
    "discard",
    "audit",
    "failures",
    "selections",
    "lanes",
    "workers",
    "/openapi.json",
    "/metrics",
    "/healthz",
    "/readyz",
    "/",
    "..",
    "%2e%2e/",
    "%00",
    "%ff",
    "?",
    "&",
    "limit=10",
    "limit=0",
    "after=0.5",
    "status=dead",
    "query=status:dead",
    "dry_run=true",
    "host: localhost\n",
    "origin: http://localhost\n",
    "origin: null\n",
    "authorization: Bearer operator-token-0123456789\n",
    "authorization: Bearer viewer-token-0123456789\n",
    "content-type: application/json\n",
    "content-type: text/plain\n",
    "cookie: posthaste_session=1.2\n",
    "transfer-encoding: chunked\n",
    "content-length: 5\n",
    "expect: 100-continue\n",
    "accept-encoding: gzip\n",
    "connection: upgrade\n",
    "{\"selection\":{\"status\":[\"dead\"]},\"dry_run\":true}",
    "{\"token\":\"viewer-token-0123456789\"}",
    "{}",
    "01890a5d-ac96-774b-bcce-b302099a8057",
    "crm",
    "/pause",
    "/resume",
    "/settle",
    "{\"outcome\":\"sent\"}",
];
/// What an answer to a hostile request takes at most, beside whatever else the machine does.
const DEADLINE: Duration = Duration::from_secs(30);

/// What the rest of a request is waited for that says it has one.
const MOMENT: Duration = Duration::from_millis(20);

/// Connections that are made in this process: a million ports would be too many.
struct Pipes(mpsc::Receiver<DuplexStream>);

impl Listener for Pipes {
    type Io = DuplexStream;
    type Addr = ();

    async fn accept(&mut self) -> (DuplexStream, ()) {
        match self.0.recv().await {
            Some(pipe) => (pipe, ()),
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Method, path, headers and body.
fn request(input: &[u8]) -> Vec<u8> {
    let [method, path, headers, body] = fields::<4>(input);
    let mut request = [method, b" ", path, b" HTTP/1.1\r\n"].concat();
    for line in headers.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        request.extend_from_slice(&[line, b"\r\n"].concat());
    }
    request.extend_from_slice(format!("connection: close\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes());
    request.extend_from_slice(body);
    request
}

/// Everything that is answered; of a stream of events, the beginning.
async fn answer(pipes: &mpsc::Sender<DuplexStream>, request: &[u8]) -> Vec<u8> {
    let (mut ours, theirs) = duplex(64 << 10);
    pipes.send(theirs).await.expect("the server runs");
    // One that hangs up early does not read everything.
    let _ = ours.write_all(request).await;
    let mut answer = Vec::new();
    while ours.read_buf(&mut answer).await.is_ok_and(|read| read > 0) {
        if String::from_utf8_lossy(&answer[..answer.len().min(2_048)]).contains("text/event-stream") {
            break;
        }
    }
    answer
}

/// Whether a server may wait for more than is sent.
fn asks_for_more(input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input).to_ascii_lowercase();
    ["content-length", "transfer-encoding", "expect", "upgrade", "\r\n\r\n", "\n\n"]
        .iter()
        .any(|sign| text.contains(sign))
}

fn status(answer: &[u8]) -> Option<u16> {
    let rest = answer.strip_prefix(b"HTTP/1.1 ")?;
    std::str::from_utf8(rest.get(..3)?).ok()?.parse().ok()
}

/// Whether it is to be had without a token.
fn is_open(path: &str) -> bool {
    !path.starts_with("/api/") || path.starts_with("/api/v1/session")
}

#[test]
fn whatever_is_asked_is_answered_and_nothing_is_told_without_a_token() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (pipes, connections) = mpsc::channel(1);
    let place = runtime.block_on(Place::new());
    let router = place.server.app.router();
    runtime.spawn(async move { axum::serve(Pipes(connections), router).await });
    Target::new("requests", WORDS).longest(4_096).cost(40).run(|input| {
        let request = request(input);
        let asked = String::from_utf8_lossy(&request);
        let longest = if asks_for_more(input) { MOMENT } else { DEADLINE };
        let answered = runtime.block_on(async { tokio::time::timeout(longest, answer(&pipes, &request)).await });
        let Ok(answered) = answered else {
            assert!(asks_for_more(input), "it is answered in time: {asked}");
            return Outcome::Refused;
        };
        let Some(status) = status(&answered) else {
            assert!(answered.is_empty(), "{:?}", String::from_utf8_lossy(&answered));
            return Outcome::Refused;
        };
        let said = String::from_utf8_lossy(&answered);
        assert!(status < 500 || status == 503, "{asked}\n{said}");
        assert!(!said.contains(SETTLER), "{said}");
        let has_token = asked.contains(OPERATOR) || asked.contains(VIEWER);
        let path = asked.split(' ').nth(1).unwrap_or_default();
        assert!(status >= 300 || has_token || is_open(path), "{asked}\n{said}");
        if status < 400 { Outcome::Taken } else { Outcome::Refused }
    });
}
