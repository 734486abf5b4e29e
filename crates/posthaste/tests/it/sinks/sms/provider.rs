//! A provider of our own, reached by a form whose fields templates write.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
use posthaste::conformance::sink_suite::{Arrived, Impossible, SinkUnderTest};
use posthaste::message::Message;
use posthaste::sink::{Sink, Verdict};
use posthaste::sinks::sms::{BodyFormat, Form, Settings, Sms};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::sinks::changed;
use crate::sinks::everything::{EVERYTHING, arrived, deliver, order, refusal, written};

posthaste::sink_suite!(fresh);

const KEY: &str = "key-5f2d9e";
/// Whoever is called here is refused.
const REFUSED: &str = "+15550000000";

type Fields = HashMap<String, String>;
type Book = Arc<Mutex<(Vec<(HeaderMap, Fields)>, u16)>>;

/// A provider that keeps what it gets.
pub(super) struct Provider {
    pub(super) address: SocketAddr,
    book: Book,
    task: JoinHandle<()>,
}

impl Provider {
    #[expect(clippy::disallowed_methods, reason = "the server of a test, which ends with it")]
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let (address, book) = (listener.local_addr().expect("it has an address"), Book::default());
        book.lock().unwrap().1 = 200;
        let app = Router::new().fallback(take).with_state(book.clone());
        let task = tokio::spawn(async move { axum::serve(listener, app).await.expect("the server runs") });
        Self { address, book, task }
    }

    pub(super) fn got(&self) -> Vec<(HeaderMap, Fields)> {
        self.book.lock().unwrap().0.clone()
    }

    fn answer(&self, status: u16) {
        self.book.lock().unwrap().1 = status;
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn take(State(book): State<Book>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let json = headers.get("content-type").is_some_and(|kind| kind.to_str().is_ok_and(|kind| kind.contains("json")));
    let fields: Fields = match json {
        true => serde_json::from_slice(&body).expect("JSON"),
        false => form(std::str::from_utf8(&body).expect("a form is ASCII")),
    };
    let mut book = book.lock().unwrap();
    match (fields.get("to").map(String::as_str), book.1) {
        (None, _) => StatusCode::NOT_FOUND,
        (Some(REFUSED), _) => StatusCode::UNPROCESSABLE_ENTITY,
        (_, status) => {
            if status < 300 {
                book.0.push((headers, fields));
            }
            StatusCode::from_u16(status).expect("a status")
        }
    }
}

/// Reads a form by other means than it was written by.
fn form(body: &str) -> Fields {
    let url = reqwest::Url::parse(&format!("http://x/?{body}")).expect("a query");
    url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

pub(super) fn settings(address: SocketAddr, format: BodyFormat, to: &str, text: &str) -> Settings {
    let fields = [("to", "{{ to }}"), ("message", "{{ text }}")];
    let form = Form {
        url: format!("http://{address}/send?key={KEY}").into(),
        format,
        fields: fields.map(|(name, template)| (name.to_owned(), written(template))).into(),
        headers: [("Authorization".to_owned(), format!("Bearer {KEY}").into())].into(),
    };
    changed(Settings::new(written(to), written(text)), |settings| {
        settings.form = Some(form);
        settings.allow = vec!["127.0.0.1".into()];
        settings.max_parts = 100_000;
    })
}

struct FormUnderTest {
    provider: Provider,
    proxy: FaultProxy,
    sink: Arc<Sms>,
}

async fn fresh() -> FormUnderTest {
    let provider = Provider::start().await;
    let proxy = FaultProxy::to(provider.address).await.expect("a proxy can be started");
    let to = "{{ headers['x-to'] | default('+15551112222') }}";
    let sink = Sms::new(settings(proxy.address(), BodyFormat::Form, to, EVERYTHING)).expect("the settings are good");
    FormUnderTest { provider, proxy, sink: Arc::new(sink) }
}

#[async_trait]
impl SinkUnderTest for FormUnderTest {
    fn sink(&self) -> Arc<dyn Sink> {
        self.sink.clone()
    }

    async fn arrived(&self) -> Vec<Arrived> {
        self.provider.got().iter().map(|(_, fields)| arrived(&fields["message"])).collect()
    }

    fn secret(&self) -> Result<String, Impossible> {
        Ok(KEY.into())
    }

    async fn refuse(&self, message: &mut Message) -> Result<(), Impossible> {
        message.headers.push("x-to", REFUSED);
        Ok(())
    }

    async fn stop(&self) -> Result<(), Impossible> {
        self.proxy.set(Fault::Refuse).await;
        Ok(())
    }

    async fn start(&self) {
        self.proxy.set(Fault::Pass).await;
    }

    async fn stall(&self) -> Result<(), Impossible> {
        self.proxy.set(Fault::DropAnswers).await;
        Ok(())
    }

    async fn resume(&self) {
        self.proxy.set(Fault::Pass).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_whose_machine_is_gone_is_reached_anew() {
    let subject = fresh().await;
    crate::sinks::vanished::is_reached_anew(&subject, &subject.proxy).await;
}

#[tokio::test]
async fn both_forms_carry_the_same_and_the_id_of_the_message() {
    for format in [BodyFormat::Form, BodyFormat::Json] {
        let provider = Provider::start().await;
        let text = "Order {{ aggregate_id }}: {{ payload.x }}";
        let sink =
            Sms::new(settings(provider.address, format, "+1 555 123-4567", text)).expect("the settings are good");
        let message = order(&json!({ "x": "ü & = + %\nsecond" })).build().unwrap();
        assert!(deliver(&sink, &message, None).await.error.is_none());
        let got = provider.got();
        let [(headers, fields)] = got.as_slice() else { panic!("{got:?}") };
        assert_eq!(headers["idempotency-key"], message.id.to_string());
        assert_eq!(headers["authorization"], format!("Bearer {KEY}"));
        assert_eq!(
            (fields["to"].as_str(), fields["message"].as_str()),
            ("+15551234567", "Order 42: ü & = + %\nsecond")
        );
    }
}

#[tokio::test]
async fn a_status_has_its_verdict_and_shows_no_number() {
    let provider = Provider::start().await;
    let sink = Sms::new(settings(provider.address, BodyFormat::Form, "+15551112222", "x")).expect("good settings");
    for (status, verdict) in
        [(401, Verdict::Unreachable), (429, Verdict::Retry), (503, Verdict::Retry), (400, Verdict::Reject)]
    {
        provider.answer(status);
        let error = refusal(&sink, &order(&json!({})).build().unwrap()).await;
        assert_eq!(error.verdict, verdict, "{status}");
        assert!(!error.text().contains("1112222") && !error.text().contains(KEY), "{error}");
    }
}
