//! For sinks whose messages are written by templates: a template that says everything, and how to read it.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use posthaste::conformance::sink_suite::Arrived;
use posthaste::journal::{Partition, Position};
use posthaste::message::{Builder, Headers, Message};
use posthaste::sink::payload_template::Written;
use posthaste::sink::{Delivery, Error, Outcome, Run, Sink};
use serde_json::Value;

/// One line of JSON with all that the sink suite looks at.
pub(super) const EVERYTHING: &str = "{{ {'id': id, 'event_type': event_type, 'key': key | default(none), \
    'tenant': tenant | default(none), 'correlation_id': correlation_id | default(none), 'headers': header_pairs, \
    'payload': payload_base64()} | tojson }}";

/// The same without the payload, which travels by other means.
pub(super) const ALL_BUT_PAYLOAD: &str = "{{ {'id': id, 'event_type': event_type, 'key': key | default(none), \
    'tenant': tenant | default(none), 'correlation_id': correlation_id | default(none), 'headers': header_pairs, \
    'payload': ''} | tojson }}";

/// What such a line says.
pub(super) fn arrived(line: &str) -> Arrived {
    let said: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line:.200}"));
    let text = |name: &str| said[name].as_str().map(str::to_owned);
    let pairs = said["headers"].as_array().expect("pairs").iter();
    let headers: Headers = pairs.map(|pair| (pair[0].as_str().unwrap(), pair[1].as_str().unwrap())).collect();
    Arrived {
        id: text("id").expect("an id").parse().expect("an id"),
        event_type: text("event_type").expect("a type"),
        key: text("key"),
        tenant: text("tenant"),
        correlation_id: text("correlation_id"),
        headers,
        payload: BASE64_STANDARD.decode(text("payload").expect("a payload")).expect("base64"),
    }
}

pub(super) fn written(template: &str) -> Written {
    Written::parse(template).expect("it is a template")
}

/// Text that does something wherever it is not taken for text: ends a header, closes a tag, mentions everybody, turns the line around.
pub(super) const HOSTILE: &str = "x\r\nBcc: evil@example.com\r\n\r\n<script>alert('1')</script>\"><b> *bold* _it_ `code` \
    [l](https://evil.example) <https://evil.example|l> <!channel> <@U123> @everyone\u{202e}\u{2066}\u{200f}\u{0}\u{1b}[2J{{ id }}{% raw %}";

pub(super) fn order(payload: &Value) -> Builder {
    Message::builder("order.shipped", "order", "42").json(payload)
}

/// Hands one message over, at its first attempt or with what an earlier one left.
pub(super) async fn deliver(sink: &dyn Sink, message: &Message, progress: Option<Vec<u8>>) -> Outcome {
    let delivery = Delivery::new(message.clone(), Position::seq(1)).progress(progress);
    sink.deliver(&Run::new("people", Partition::new(0), vec![delivery])).await
}

pub(super) async fn refusal(sink: &dyn Sink, message: &Message) -> Error {
    let outcome = deliver(sink, message, None).await;
    assert_eq!(outcome.confirmed, 0);
    outcome.error.expect("it was not delivered")
}

/// What a server shows by HTTP.
pub(super) async fn get(url: &str) -> Vec<u8> {
    let answer = reqwest::get(url).await.unwrap_or_else(|error| panic!("{url}: {error}"));
    assert!(answer.status().is_success(), "{url}: {}", answer.status());
    answer.bytes().await.expect("it has a body").to_vec()
}

pub(super) async fn get_json(url: &str) -> Value {
    serde_json::from_slice(&get(url).await).expect("it is JSON")
}
