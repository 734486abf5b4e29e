//! What the sink posts to webhooks, and what it makes of answers.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use posthaste::sink::{Sink, Verdict};
use posthaste::sinks::slack::{Settings, Slack, Speaks};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::settings;
use super::workspace::{Channel, shown};
use crate::servers;
use crate::sinks::changed;
use crate::sinks::everything::{HOSTILE, deliver, order, refusal, written};

const SECRET: &str = "B5f2d9e";

type Book = Arc<Mutex<(Vec<Value>, u16, &'static str)>>;

/// A service that says what it is told to say.
struct Endpoint {
    address: SocketAddr,
    book: Book,
    task: JoinHandle<()>,
}

impl Endpoint {
    #[expect(clippy::disallowed_methods, reason = "the server of a test, which ends with it")]
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it has an address");
        let book: Book = Arc::new(Mutex::new((Vec::new(), 200, "ok")));
        let app = Router::new().fallback(take).with_state(book.clone());
        let task = tokio::spawn(async move { axum::serve(listener, app).await.expect("the server runs") });
        Self { address, book, task }
    }

    fn answer(&self, status: u16, body: &'static str) {
        let mut book = self.book.lock().unwrap();
        (book.1, book.2) = (status, body);
    }

    fn last(&self) -> Value {
        self.book.lock().unwrap().0.last().expect("something came").clone()
    }

    fn webhook(&self, speaks: Speaks, text: &str) -> Settings {
        changed(Settings::new(written(text)), |settings| {
            settings.webhook = Some(format!("http://{}/services/T1/{SECRET}", self.address).into());
            settings.speaks = speaks;
            settings.allow = vec!["127.0.0.1".into()];
        })
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn take(State(book): State<Book>, body: Bytes) -> impl IntoResponse {
    let mut book = book.lock().unwrap();
    if !body.is_empty() {
        book.0.push(serde_json::from_slice(&body).expect("JSON"));
    }
    let mut headers = HeaderMap::new();
    if book.1 == 429 {
        headers.insert("retry-after", "7".parse().unwrap());
    }
    (StatusCode::from_u16(book.1).expect("a status"), headers, book.2)
}

#[tokio::test]
async fn webhooks_of_three_services_get_text_that_stays_text() {
    let endpoint = Endpoint::start().await;
    let message = order(&json!({ "x": HOSTILE })).build().unwrap();
    for (speaks, status) in [(Speaks::Slack, 200), (Speaks::Discord, 204), (Speaks::Teams, 202)] {
        endpoint.answer(status, "");
        let sink = Slack::new(endpoint.webhook(speaks, "T {{ payload.x }}")).expect("the settings are good");
        assert_eq!(sink.check().await, Ok(()));
        let outcome = deliver(&sink, &message, None).await;
        assert!(outcome.error.is_none(), "{speaks:?}: {outcome:?}");
        let post = endpoint.last();
        match speaks {
            Speaks::Slack => assert!(!post.to_string().contains('<') && post["mrkdwn"] == false, "{post}"),
            Speaks::Discord => {
                assert_eq!(post["allowed_mentions"], json!({ "parse": [] }));
                let text = post["content"].as_str().unwrap();
                assert!(
                    !text.contains("@everyone") && text.contains("\\*bold\\*") && text.contains("\\[l\\]"),
                    "{text}"
                );
            }
            Speaks::Teams => {
                let runs = post["attachments"][0]["content"]["body"].as_array().unwrap();
                assert!(runs.iter().all(|run| run["type"] == "RichTextBlock"), "text runs are not formatted: {post}");
            }
        }
        assert!(!post.to_string().contains(['\u{202e}', '\u{200f}']), "{post}");
    }
}

#[tokio::test]
async fn an_incoming_webhook_of_slack_takes_what_is_posted() {
    // Where the webhook posts is its own matter.
    let channel = Channel { id: "C000000001".into() };
    let url = format!("http://{}/services/T000000001/B000000001/X000000001", servers::address("slack"));
    let by_webhook = changed(Settings::new(written("By webhook: {{ id }}")), |settings| {
        settings.webhook = Some(url.into());
        settings.allow = vec!["127.0.0.1".into()];
    });
    let message = order(&json!({})).build().unwrap();
    let outcome = deliver(&Slack::new(by_webhook).expect("good settings"), &message, None).await;
    assert!(outcome.error.is_none(), "{outcome:?}");
    let posted = format!("By webhook: {}", message.id);
    assert!(channel.posts().await.iter().any(|post| shown(post) == posted));
}

#[tokio::test]
async fn answers_have_their_verdicts_and_show_neither_webhook_nor_words() {
    let endpoint = Endpoint::start().await;
    let sink = Slack::new(endpoint.webhook(Speaks::Slack, "x")).expect("the settings are good");
    let wait = Verdict::RetryAfter(Duration::from_secs(7));
    for (status, body, verdict) in [
        (429, "rate_limited", wait),
        (500, "rollup_error", Verdict::Retry),
        (404, "no_service", Verdict::Gone),
        (410, "channel_is_archived", Verdict::Gone),
        (403, "action_prohibited", Verdict::Unreachable),
        (400, "invalid_payload", Verdict::Reject),
        (400, "Your text was: 5f2d9e", Verdict::Reject),
    ] {
        endpoint.answer(status, body);
        let error = refusal(&sink, &order(&json!({})).build().unwrap()).await;
        assert_eq!(error.verdict, verdict, "{status}: {error}");
        assert!(!format!("{error} {sink:?}").contains("5f2d9e"), "{error}");
    }
}

#[tokio::test]
async fn a_channel_that_the_config_names_and_that_is_not_there_is_an_outage() {
    let fixed = Slack::new(settings(&servers::address("slack"), "no-such-channel", "x")).expect("good settings");
    let error = refusal(&fixed, &order(&json!({})).build().unwrap()).await;
    assert_eq!((error.verdict, error.text()), (Verdict::Unreachable, "Slack said channel_not_found"));
    let chosen = Slack::new(settings(&servers::address("slack"), "{{ payload.c }}", "x")).expect("good settings");
    let error = refusal(&chosen, &order(&json!({ "c": "no-such-channel" })).build().unwrap()).await;
    assert_eq!(error.verdict, Verdict::Reject);
}
