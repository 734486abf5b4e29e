use std::collections::HashMap;

use super::*;

fn order() -> Builder {
    Message::builder("order.created", "order", "7")
}

/// The fields that are wrong, in the order of the checks.
fn wrong(builder: Builder) -> Vec<&'static str> {
    builder
        .build()
        .map_or_else(|invalid| invalid.problems.iter().map(|problem| problem.field).collect(), |_| Vec::new())
}

#[test]
fn a_message_has_what_its_builder_was_given() {
    let id = MessageId::generate();
    let (then, later) = (Timestamp::UNIX_EPOCH, Timestamp::from_second(9).unwrap());
    let builder = order().id(id).payload("{}", "text/plain").header("a", "1").header("a", "2").traceparent("00-1-2-3");
    let builder = builder.tenant("acme").user("ann").correlation_id("request 1").destination("crm").max_attempts(3);
    let message = builder.origin("legacy", "9").occurred_at(then).due_at(later).build().unwrap();
    let names = (message.event_type.as_str(), message.aggregate_type.as_str(), message.aggregate_id.as_str());
    assert_eq!((message.id, names), (id, ("order.created", "order", "7")));
    assert_eq!((message.payload.as_ref(), message.content_type.as_str()), (&b"{}"[..], "text/plain"));
    assert_eq!(message.headers.iter().collect::<Vec<_>>(), [("a", "1"), ("a", "2"), ("traceparent", "00-1-2-3")]);
    let texts = [&message.tenant, &message.user, &message.correlation_id, &message.destination].map(Option::as_deref);
    assert_eq!(texts, [Some("acme"), Some("ann"), Some("request 1"), Some("crm")]);
    assert_eq!(message.origin, Some(Origin { stream: "legacy".into(), event: "9".into() }));
    assert_eq!((message.occurred_at, message.due_at, message.max_attempts), (then, Some(later), Some(3)));
}

#[test]
fn the_order_of_a_message_is_that_of_its_aggregate_unless_it_has_another_key_or_none() {
    let key = |builder: Builder| builder.build().unwrap().order_key();
    let ordered = |tenant: Option<&str>, key: &str| Some(OrderKey { tenant: tenant.map(Into::into), key: key.into() });
    assert_eq!(key(order()), ordered(None, "order/7"));
    assert_eq!(key(order().key("customer 3").tenant("acme")), ordered(Some("acme"), "customer 3"));
    assert_eq!(key(order().unordered()), None);
}

#[test]
fn a_payload_is_json_or_the_reason_why_it_is_not() {
    let message = order().json(&[1, 2]).build().unwrap();
    assert_eq!((message.payload.as_ref(), message.content_type.as_str()), (&b"[1,2]"[..], "application/json"));
    let no_text_for_a_key = HashMap::from([((1, 2), 3)]);
    assert_eq!(wrong(order().json(&no_text_for_a_key)), ["payload"]);
}

#[test]
fn ids_are_made_in_the_order_of_time_and_read_again() {
    let (first, second) = (MessageId::generate(), MessageId::generate());
    assert!(first < second);
    assert_eq!(MessageId::from_str(&first.to_string()), Ok(first));
    assert!(MessageId::from_str("no id").is_err());
}

/// A struct, a payload of 100 bytes and headers of 6.
#[test]
fn a_message_weighs_its_payload_its_headers_and_itself() {
    let message = order().payload(vec![0; 100], "a").header("ab", "c").header("d", "ef").build().unwrap();
    assert_eq!(message.weight(), 512 + 100 + 6);
}

#[test]
fn what_is_as_long_as_allowed_is_taken_and_one_byte_more_is_not() {
    let limits = Limits { payload_bytes: 4, name_bytes: 13, headers_bytes: 6, headers: 2 };
    let order = || order().limits(limits.clone()).payload("", "a");
    assert_eq!(wrong(order().payload("1234", "a").header("ab", "c").header("d", "ef")), [""; 0]);
    assert_eq!(wrong(order().payload("12345", "a")), ["payload"]);
    assert_eq!(wrong(order().header("ab", "c").header("d", "efg")), ["headers"], "seven bytes");
    assert_eq!(wrong(order().header("a", "").header("b", "").header("c", "")), ["headers"], "three of them");
    assert_eq!(wrong(order().user("x".repeat(13))), [""; 0]);
    assert_eq!(wrong(order().user("x".repeat(14))), ["user"]);
}

#[test]
fn the_limits_are_what_the_documents_say() {
    let Limits { payload_bytes, name_bytes, headers_bytes, headers } = Limits::default();
    assert_eq!((payload_bytes, name_bytes, headers_bytes, headers), (1_048_576, 255, 16_384, 64));
}

#[test]
fn every_text_that_is_empty_or_has_a_control_character_is_named() {
    for bad in ["", "a\nb", "a\0"] {
        let builder = Message::builder("ok", bad, bad).payload("", bad).key(bad).tenant(bad).user(bad);
        let fields = wrong(builder.correlation_id(bad).destination(bad).origin(bad, bad).max_attempts(0));
        let names = ["aggregate_type", "aggregate_id", "content_type", "key", "tenant", "user", "correlation_id"];
        let rest = ["destination", "source_stream", "source_event", "max_attempts"];
        assert_eq!(fields, [&names[..], &rest[..]].concat(), "{bad:?}");
    }
}

/// It is matched by patterns and becomes a topic or a subject.
#[test]
fn an_event_type_keeps_to_a_plain_alphabet() {
    let of = |event_type: &str| wrong(Message::builder(event_type, "order", "7"));
    assert_eq!(of("Order.paid_2:eu/de-be"), [""; 0]);
    for bad in ["order paid", "order*", "größe"] {
        assert_eq!(of(bad), ["event_type"], "{bad}");
    }
    assert_eq!(of(""), ["event_type"], "empty");
}

#[test]
fn a_header_has_a_name_for_http_and_a_value_on_one_line() {
    assert_eq!(wrong(order().header("x-1!#$%&'*+-.^_`|~", "größe")), [""; 0]);
    for (name, value) in [("", "a"), ("a b", "c"), ("a:", "c"), ("ä", "c"), ("a", "b\r\nc")] {
        assert_eq!(wrong(order().header(name, value)), ["headers"], "{name:?} {value:?}");
    }
}

#[test]
fn headers_are_found_without_regard_to_case_and_counted() {
    let headers: Headers = [("A", "1"), ("a", "2")].into_iter().collect();
    assert_eq!((headers.get("a"), headers.get("b")), (Some("1"), None));
    assert_eq!((headers.len(), headers.is_empty(), Headers::default().is_empty()), (2, false, true));
}
