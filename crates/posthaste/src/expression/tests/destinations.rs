use std::sync::Mutex;

use async_trait::async_trait;

use super::super::filter::filter;
use super::*;
use crate::journal::{Partition, Position};
use crate::message::{Builder, Message};
use crate::sink::{self, Delivery, Outcome, Run, Sink, Verdict};

fn order() -> Builder {
    Message::builder("order.paid", "order", "7").header("x-shop", "north").tenant("acme")
}

fn paid(amount: f64) -> Message {
    let payload = serde_json::json!({ "id": 7, "amount": amount, "card": "canary" });
    order().json(&payload).build().expect("a message")
}

fn text() -> Message {
    order().payload("canary, 5", "text/csv").build().expect("a message")
}

#[test]
fn a_filter_takes_what_its_expression_is_true_for() {
    let takes = |source: &str, message: &Message| filter(source).expect(source).takes(message);
    for (source, taken) in [
        (".payload.amount > 100", true),
        (".payload.amount < 100", false),
        (".tenant == \"acme\" and .headers[\"x-shop\"] == \"north\"", true),
        ("select(.event_type | startswith(\"order.\"))", true),
        ("select(.event_type | startswith(\"user.\"))", false),
        ("empty", false),
        (".payload.missing", false),
        (".aggregate_id", true),
        (".user == null and .key == \"order/7\"", true),
        (".payload_encoding == \"json\"", true),
        (".occurred_at | fromdateiso8601 > 0", true),
    ] {
        assert_eq!(takes(source, &paid(500.0)), Ok(taken), "{source}");
    }
    let several = takes(".payload[]", &paid(1.0)).expect_err("three results");
    assert!(several.contains("several results"), "{several}");
}

#[test]
fn an_error_shows_the_words_of_the_expression_and_no_value_of_the_message() {
    for (source, says) in [
        (".payload.card.number > 5", "filter: cannot index a text with \"number\""),
        (".payload.card + 1", "filter: cannot calculate a text + a number"),
        ("error(\"no amount\")", "filter: \"no amount\""),
        ("error(.payload)", "filter: an object"),
        ("error(\"bad \" + .payload.card)", "filter: a text"),
        (".payload | keys | .[0] | tonumber", "filter: "),
        ("\"\\(.payload.card)\" | fromjson", "filter: "),
        (".payload.card | strptime(\"%Y\")", "filter: "),
        (".payload.card | test(.)", "false"),
        ("[repeat(.payload)]", "filter: it takes too many steps"),
    ] {
        let said =
            filter(source).expect(source).takes(&paid(1.0)).map_or_else(|error| error, |taken| taken.to_string());
        assert!(!said.contains("canary"), "{source}: {said}");
        assert!(said.contains(says) || source.contains("test"), "{source}: {said}");
    }
}

#[test]
fn a_transform_changes_payload_and_headers_and_nothing_else() {
    let apply = |source: &str, message: &Message| Transform::new(source).expect(source).apply(message);
    let message = paid(5.0);
    let changed = apply(".payload |= {id, amount} | .headers[\"x-region\"] = \"eu\" | .headers.n = 5", &message)
        .expect("it fits");
    assert_eq!(changed.payload, r#"{"id":7,"amount":5.0}"#);
    let expected = [("x-shop", "north"), ("x-region", "eu"), ("n", "5")];
    assert_eq!(changed.headers.iter().collect::<Vec<_>>(), expected);
    let same = Message { payload: message.payload.clone(), headers: message.headers.clone(), ..changed };
    assert_eq!(same, message, "all else is as it was");
    assert_eq!(apply(".", &message), Ok(message.clone()), "byte for byte");
    assert_eq!(apply("{payload: .payload.id}", &message).expect("fits").payload, "7");
    assert_eq!(apply("{payload: 1, headers: {}}", &message).expect("fits").headers.len(), 0);
    assert_eq!(apply(".headers.x = [\"a\", \"b\"]", &message).expect("fits").headers.len(), 3);
    for (source, says) in [
        (".event_type = \"other\"", "it changes `event_type`: only `payload` and `headers` may change"),
        (".id = \"1\"", "it changes `id`"),
        (".more = 1", "it adds a field: only `payload` and `headers` may change"),
        (".user = .payload.card", "it changes `user`"),
        (".payload", "its result has no `payload`"),
        (".payload.id", "its result is no object"),
        ("empty", "it has no result"),
        ("., .", "it has several results"),
        (".headers = 5", "`headers` is no object"),
        (".headers.x = {}", "the value of a header is neither"),
        (".headers.x = \"a\\nb\"", "control character"),
        (".payload = (\"x\" * 17000000)", "too large"),
    ] {
        let error = apply(source, &message).expect_err(source);
        assert!(error.starts_with("transform: ") && error.contains(says), "{source}: {error}");
    }
}

#[test]
fn a_payload_that_is_not_json_passes_only_if_the_expression_says_so() {
    let apply = |source: &str, message: &Message| Transform::new(source).expect(source).apply(message);
    assert_eq!(apply(".headers.x = \"1\"", &text()).expect("untouched").payload, text().payload);
    assert!(apply(".payload |= {id}", &text()).expect_err("no fields").contains("cannot index a text with \"id\""));
    assert!(apply(".payload = {id: 1}", &text()).expect_err("no text").contains("payload_encoding"));
    let made = apply(".payload |= (split(\", \") | {n: (.[1] | tonumber)}) | .payload_encoding = \"json\"", &text())
        .expect("said so");
    assert_eq!((&made.payload[..], made.content_type.as_str()), (&br#"{"n":5}"#[..], "application/json"));
    assert_eq!(apply(".payload |= ascii_upcase", &text()).expect("text").payload, "CANARY, 5");
    let bytes = order().payload(vec![0xff, 0x00], "application/octet-stream").build().expect("a message");
    assert_eq!(apply(".", &bytes).expect("untouched").payload, bytes.payload);
    assert_eq!(apply("select(.payload == \"/wA=\")", &bytes).expect("base64").payload, bytes.payload);
    let broken = order().payload("{", "application/json").build().expect("a message");
    assert!(apply(".payload.id = 1", &broken).is_err());
}

/// Keeps what it gets, and stops where it is told to.
#[derive(Debug, Default)]
struct Kept(Mutex<Vec<Vec<u8>>>, usize);

#[async_trait]
impl Sink for Kept {
    async fn deliver(&self, run: &Run) -> Outcome {
        let mut kept = self.0.lock().expect("not poisoned");
        for (n, delivery) in run.deliveries.iter().enumerate() {
            if n == self.1 {
                return Outcome::stopped(n, sink::Error::retry("busy"));
            }
            kept.push(delivery.message.payload.to_vec());
        }
        Outcome::delivered(run)
    }

    async fn check(&self) -> Result<(), sink::Error> {
        Ok(())
    }
}

async fn deliver(stop_at: usize) -> (Outcome, usize) {
    let messages = [paid(1.0), paid(2.0), text(), paid(3.0)];
    let deliveries = messages.into_iter().map(|message| Delivery::new(message, Position::seq(1))).collect();
    let run = Run::new("orders", Partition::new(0), deliveries);
    let kept = Arc::new(Kept(Mutex::default(), stop_at));
    let sink = Transformed::new(Transform::new(".payload |= {amount}").expect("compiles"), kept.clone());
    let outcome = sink.deliver(&run).await;
    let count = kept.0.lock().expect("not poisoned").len();
    (outcome, count)
}

#[tokio::test]
async fn what_cannot_be_transformed_stops_its_run_as_a_reject() {
    let (outcome, kept) = deliver(usize::MAX).await;
    assert_eq!((outcome.confirmed, kept), (2, 2));
    let error = outcome.error.expect("the third is no JSON");
    assert_eq!((error.verdict, error.text()), (Verdict::Reject, "transform: cannot index a text with \"amount\""));
    let (outcome, _) = deliver(1).await;
    assert_eq!(outcome.confirmed, 1, "what the sink says comes first");
    assert_eq!(outcome.error.map(|error| error.verdict), Some(Verdict::Retry));
}
