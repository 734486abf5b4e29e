//! Spans of attempts, as a collector gets them.

use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;

use crate::listener::{Heard, Listener};
use crate::program::{Place, until};

mod collected;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const WRITER: &str = "b7ad6b7169203331";
const TOKEN: &str = "canary-collector-token-66b1";
const PAYLOAD: &str = "canary-payload-d41d";

/// An endpoint for messages, a collector for spans, and a config that knows both.
fn place(endpoint: &Listener, collector: &str) -> Place {
    let place = Place::migrated();
    let config = format!(
        "log = {{ level = 'trace', format = 'json' }}\n\
         [otlp]\nendpoint = 'http://{collector}'\nheaders = {{ authorization = 'Bearer {TOKEN}' }}\nservice_name = 'shop'\n\
         [destinations.crm]\ntype = 'webhook'\nbackoff = {{ type = 'list', delays = ['10ms'] }}\n\
         [destinations.crm.webhook]\nurl = 'http://{}/hooks'\nallow = ['127.0.0.1']\n",
        endpoint.address
    );
    place.write("posthaste.toml", &config);
    place
}

fn enqueue(place: &Place, aggregate: &str, traceparent: Option<&str>) -> String {
    let payload = format!("{{\"card\": \"{PAYLOAD}\"}}");
    let header = traceparent.map(|context| format!("traceparent={context}"));
    let header = header.iter().flat_map(|header| ["--header", header.as_str()]);
    place.enqueue(aggregate, ["--payload", &payload, "--correlation-id", "c-1"].into_iter().chain(header))
}

fn sent_as(span: &Span) -> String {
    format!("00-{}-{}-01", collected::hex(&span.trace_id), collected::hex(&span.span_id))
}

fn contexts(endpoint: &Listener, id: &str) -> Vec<String> {
    let of_message = |heard: &Heard| heard.header("idempotency-key") == Some(id);
    let heard = endpoint.heard();
    heard
        .iter()
        .filter(|heard| of_message(heard))
        .filter_map(|heard| heard.header("traceparent").map(str::to_owned))
        .collect()
}

#[test]
fn each_attempt_is_a_child_of_the_writers_span_and_the_parent_of_what_comes_after() {
    let (endpoint, collector) =
        (Listener::answering(&["503 Service Unavailable", "200 OK"]), Listener::answering(&["200 OK"]));
    let place = place(&endpoint, &collector.address);
    let id = enqueue(&place, "order/1", Some(&format!("00-{TRACE}-{WRITER}-01")));
    let relay = place.relay();
    until("it is delivered", || contexts(&endpoint, &id).len() == 2);
    until("that is recorded", || place.json(["status"])["destinations"][0]["retrying"] == 0);
    let logged = relay.logged();
    relay.stop();

    let spans = collected::spans(&collector.heard());
    let [failed, delivered] = spans.as_slice() else { panic!("two attempts are two spans: {spans:?}") };
    for (span, number) in [(failed, 1), (delivered, 2)] {
        assert_eq!(
            (collected::hex(&span.trace_id), collected::hex(&span.parent_span_id)),
            (TRACE.into(), WRITER.into())
        );
        assert_eq!(span.name, "deliver crm");
        assert_eq!(collected::number(span, "posthaste.attempt"), Some(number));
        assert_eq!(collected::text(span, "messaging.message.id").as_deref(), Some(id.as_str()));
        assert_eq!(collected::text(span, "messaging.message.conversation_id").as_deref(), Some("c-1"));
    }
    let status = failed.status.clone().unwrap_or_default();
    assert_eq!((status.code(), status.message.as_str()), (StatusCode::Error, "answered 503 Service Unavailable"));
    assert_eq!(delivered.status.clone().unwrap_or_default().code(), StatusCode::Unset);
    assert_eq!(contexts(&endpoint, &id), [sent_as(failed), sent_as(delivered)]);

    for heard in collector.heard() {
        assert_eq!((heard.path(), heard.header("content-type")), ("/v1/traces", Some("application/x-protobuf")));
        assert_eq!(heard.header("authorization"), Some(format!("Bearer {TOKEN}").as_str()));
        assert!(!String::from_utf8_lossy(&heard.body).contains(PAYLOAD), "a payload is in a span");
    }
    assert_eq!(collected::service(&collector.heard()), "shop");
    assert!(!logged.contains(TOKEN) && !logged.contains(PAYLOAD), "{logged}");
}

#[test]
fn a_message_without_context_starts_a_trace_and_one_that_nobody_looks_at_goes_on_as_it_came() {
    let (endpoint, collector) = (Listener::answering(&["200 OK"]), Listener::answering(&["200 OK"]));
    let place = place(&endpoint, &collector.address);
    let unseen = format!("00-{TRACE}-{WRITER}-00");
    let (new, unsampled) = (enqueue(&place, "order/1", None), enqueue(&place, "order/2", Some(&unseen)));
    let relay = place.relay();
    until("both are delivered", || endpoint.heard().len() == 2);
    until("that is recorded", || place.json(["status"])["destinations"][0]["pending"] == 0);
    relay.stop();
    let spans = collected::spans(&collector.heard());
    let [span] = spans.as_slice() else { panic!("one of them is a span: {spans:?}") };
    assert!(span.parent_span_id.is_empty());
    assert_eq!(contexts(&endpoint, &new), [sent_as(span)]);
    assert_eq!(contexts(&endpoint, &unsampled), [unseen]);
}

#[test]
fn a_collector_that_is_away_is_said_once_and_holds_nothing_up() {
    let endpoint = Listener::answering(&["200 OK"]);
    let place = place(&endpoint, "127.0.0.1:1");
    let relay = place.relay();
    for order in 0..20 {
        enqueue(&place, &format!("order/{order}"), None);
    }
    until("all are delivered", || endpoint.heard().len() == 20);
    until("that is recorded", || place.json(["status"])["destinations"][0]["pending"] == 0);
    relay.signal("TERM");
    until("it has stopped", || relay.logged().contains("relay stopped"));
    let logged = relay.logged();
    assert_eq!(logged.matches("the collector does not take spans").count(), 1, "{logged}");
    assert!(logged.contains("Connection refused"), "{logged}");
    assert_eq!(relay.ended(), 0);
}

#[test]
fn check_tries_the_collector() {
    let (endpoint, collector) = (Listener::answering(&["200 OK"]), Listener::answering(&["200 OK"]));
    let answer = place(&endpoint, &collector.address).run(["check"]).succeeds();
    assert!(answer.stdout.contains("otlp             takes spans"), "{}", answer.stdout);
    assert_eq!(collector.heard()[0].header("authorization"), Some(format!("Bearer {TOKEN}").as_str()));

    let strict = Listener::answering(&["401 Unauthorized"]);
    let answer = place(&endpoint, &strict.address).run(["check"]).ends_with(1);
    assert!(answer.stdout.contains("answered 401 Unauthorized"), "{}", answer.stdout);
    let answer = place(&endpoint, "127.0.0.1:1").run(["check"]).ends_with(1);
    assert!(answer.stdout.contains("Connection refused") && !answer.stdout.contains(TOKEN), "{}", answer.stdout);
}
