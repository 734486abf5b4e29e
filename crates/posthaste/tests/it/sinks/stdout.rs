//! The sink suite on JSON lines, written into memory.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use posthaste::conformance::sink_suite::{Arrived, Impossible, SinkUnderTest};
use posthaste::message::{Headers, Message, MessageId};
use posthaste::sink::Sink;
use posthaste::sinks::stdout::Stdout;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::AsyncWrite;

posthaste::sink_suite!(fresh);

async fn fresh() -> StdoutUnderTest {
    StdoutUnderTest::default()
}

#[derive(Default, PartialEq, Eq)]
enum Mood {
    #[default]
    Fine,
    Broken,
    /// Takes so many bytes more.
    Stalled(usize),
}

/// A stream into memory that can break and stall.
#[derive(Clone, Default)]
struct Stream(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    mood: Mood,
    waiting: Option<Waker>,
}

impl Stream {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn set(&self, mood: Mood) {
        let mut state = self.state();
        state.mood = mood;
        if let Some(waker) = state.waiting.take() {
            waker.wake();
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let state = &mut *self.state();
        // Pipes take what fits, not what is offered.
        let mut taken = bytes.len().min(1_000);
        match &mut state.mood {
            Mood::Fine => {}
            Mood::Broken => return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
            Mood::Stalled(0) => {
                state.waiting = Some(cx.waker().clone());
                return Poll::Pending;
            }
            Mood::Stalled(left) => {
                taken = taken.min(*left);
                *left -= taken;
            }
        }
        state.bytes.extend_from_slice(&bytes[..taken]);
        Poll::Ready(Ok(taken))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.state().mood {
            Mood::Broken => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
            _ => Poll::Ready(Ok(())),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

struct StdoutUnderTest {
    stream: Stream,
    sink: Arc<Stdout<Stream>>,
}

impl Default for StdoutUnderTest {
    fn default() -> Self {
        let stream = Stream::default();
        Self { sink: Arc::new(Stdout::to(stream.clone())), stream }
    }
}

/// A line as a reader would declare it.
#[derive(Deserialize)]
struct Line {
    id: MessageId,
    event_type: String,
    key: Option<String>,
    tenant: Option<String>,
    correlation_id: Option<String>,
    headers: Headers,
    payload: Option<Box<RawValue>>,
    payload_text: Option<String>,
    payload_base64: Option<String>,
}

impl From<Line> for Arrived {
    fn from(line: Line) -> Self {
        let json = line.payload.map(|json| json.get().as_bytes().to_vec());
        let text = line.payload_text.map(String::into_bytes);
        let binary = line.payload_base64.map(|text| BASE64_STANDARD.decode(text).unwrap());
        Self {
            id: line.id,
            event_type: line.event_type,
            key: line.key,
            tenant: line.tenant,
            correlation_id: line.correlation_id,
            headers: line.headers,
            payload: json.or(text).or(binary).expect("a line has a payload"),
        }
    }
}

#[async_trait]
impl SinkUnderTest for StdoutUnderTest {
    fn sink(&self) -> Arc<dyn Sink> {
        self.sink.clone()
    }

    async fn arrived(&self) -> Vec<Arrived> {
        let text = String::from_utf8(self.stream.state().bytes.clone()).expect("lines are UTF-8");
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole.lines().map(|line| serde_json::from_str::<Line>(line).expect("a line is JSON").into()).collect()
    }

    fn secret(&self) -> Result<String, Impossible> {
        Err(Impossible("a stream needs no credential"))
    }

    async fn refuse(&self, _: &mut Message) -> Result<(), Impossible> {
        Err(Impossible("a stream does not look at what it takes"))
    }

    async fn stop(&self) -> Result<(), Impossible> {
        self.stream.set(Mood::Broken);
        Ok(())
    }

    async fn start(&self) {
        self.stream.set(Mood::Fine);
    }

    async fn stall(&self) -> Result<(), Impossible> {
        self.stream.set(Mood::Stalled(700));
        Ok(())
    }

    async fn resume(&self) {
        self.stream.set(Mood::Fine);
    }
}
