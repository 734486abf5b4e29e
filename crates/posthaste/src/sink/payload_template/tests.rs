use super::*;
use crate::journal::{Partition, Position};
use crate::message::{Builder, Message};
use crate::sink::{Delivery, Run, Verdict};

fn render_as(written: &str, escape: Escape, message: Builder) -> Result<String, Error> {
    let delivery = Delivery::new(message.build().unwrap(), Position::seq(7));
    let run = Run::new("mail", Partition::new(3), vec![delivery]);
    let context = Context::of(&run, &run.deliveries[0]);
    Written::parse(written).unwrap().ready("text", escape).render(&context)
}

fn render(written: &str, payload: &serde_json::Value) -> Result<String, Error> {
    render_as(written, Escape::Text, order().json(payload))
}

fn order() -> Builder {
    Message::builder("order.placed", "order", "7").header("x-shop", "north")
}

#[test]
fn fields_headers_and_payload_can_be_named() {
    let payload = serde_json::json!({ "customer": { "name": "Zoë" }, "items": [{ "n": 2 }, { "n": 3 }], "total": 9.5 });
    let written = "{{ event_type }} {{ aggregate_id }} {{ destination }} {{ headers['x-shop'] }} {{ attempt }}: \
        {{ payload.customer.name }} {% for item in payload.items %}{{ item.n }};{% endfor %} {{ payload.total }}";
    assert_eq!(render(written, &payload).unwrap(), "order.placed 7 mail north 1: Zoë 2;3; 9.5");
    assert_eq!(render_as("{{ payload }}", Escape::Text, order().payload("plain", "text/plain")).unwrap(), "plain");
    assert_eq!(render("{{ payload_base64() }}", &serde_json::json!({})).unwrap(), "e30=");
}

#[test]
fn what_is_missing_or_null_is_a_reject_that_names_it_and_shows_no_value() {
    let payload = serde_json::json!({ "customer": { "secret": "canary" }, "note": null, "list": ["canary"] });
    for (written, says) in [
        ("Dear {{ payload.customer.name }}", "text: `payload.customer.name` is missing in this message"),
        ("{{ payload.customer.name.first }}", "payload.customer.name"),
        ("{{ payload.note }}", "text: `payload.note` is missing in this message"),
        ("{{ tenant }}", "text: `tenant` is missing in this message"),
        ("{{ payload.list }}", "text: `payload.list` is a list or a table: print its fields"),
        ("{{ payload.customer }}", "is a list or a table"),
        ("{{ payload.customer + 1 }}", "cannot be worked out"),
        ("{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}", "takes too many steps"),
    ] {
        let error = render(written, &payload).unwrap_err();
        assert_eq!(error.verdict, Verdict::Reject);
        assert!(error.text().contains(says) && !error.text().contains("canary"), "{written}: {error}");
    }
    assert_eq!(render("{{ payload.name | default('you') }}{{ 'x' if false }}", &payload).unwrap(), "you");
}

#[test]
fn a_payload_that_is_no_json_is_said_without_its_words_and_only_where_it_is_named() {
    let broken = || order().payload("{\"canary\": tru}", "application/json");
    let error = render_as("{{ payload.x }}", Escape::Text, broken()).unwrap_err();
    let expected = "text: `payload.x` is missing in this message: the payload is no JSON (line 1, column 15)";
    assert_eq!(error, Error::reject(expected));
    assert_eq!(render_as("hello", Escape::Text, broken()).unwrap(), "hello");
}

#[test]
fn a_value_changes_nothing_but_its_own_place() {
    let hostile = "a\r\nBcc: x@y.z\t<b>&\"'\u{202e}\u{200f}\u{0}\u{1b}[2J\u{2028}end";
    let as_ =
        |escape| render_as("[{{ payload.x }}]", escape, order().json(&serde_json::json!({ "x": hostile }))).unwrap();
    assert_eq!(as_(Escape::Text), "[a\nBcc: x@y.z\t<b>&\"'[2Jend]");
    assert_eq!(as_(Escape::Line), "[a Bcc: x@y.z <b>&\"'[2Jend]");
    assert_eq!(as_(Escape::Html), "[a\nBcc: x@y.z\t&lt;b&gt;&amp;&quot;&#39;[2Jend]");
    assert_eq!(as_(Escape::With(str::to_uppercase)), "[A\nBCC: X@Y.Z\t<B>&\"'[2JEND]");
    assert_eq!(as_(Escape::Json(str::to_owned)), r#"["a\nBcc: x@y.z\t<b>&\"'[2Jend"]"#);
}

#[test]
fn in_html_a_template_may_declare_a_value_safe_and_in_json_it_may_not() {
    let payload = serde_json::json!({ "x": "<i>", "n": 5 });
    let as_ = |written, escape| render_as(written, escape, order().json(&payload)).unwrap();
    assert_eq!(as_("{{ payload.x }} {{ payload.x | safe }}", Escape::Html), "&lt;i&gt; <i>");
    assert_eq!(as_("{{ payload.x | safe }} {{ payload.n }}", Escape::Json(str::to_owned)), r#""<i>" 5"#);
    assert_eq!(as_("{{ payload | tojson }}", Escape::Json(str::to_owned)).matches('"').count() % 2, 0);
}

#[test]
fn a_template_with_wrong_syntax_is_refused_with_its_line() {
    let error = Written::parse("one\n{{ payload.x").unwrap_err();
    assert!(error.starts_with("is no template in line 2: "), "{error}");
    assert!(Written::parse("{% if x %}").is_err());
}
