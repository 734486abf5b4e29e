//! Templates and payloads that are made to do harm, by the million.

use posthaste_hostile::{Outcome, Target, texts};

use super::*;
use crate::journal::{Partition, Position};
use crate::message::Message;
use crate::sink::{Delivery, Run};

const WORDS: &[&str] = &[
    "{{ payload.a }}",
    "{{ payload.b[0] }}",
    "{{",
    "}}",
    "{%",
    "%}",
    "payload",
    ".a",
    "[0]",
    "| upper",
    "| default('x')",
    "| tojson",
    "| safe",
    "{% for x in payload.b %}",
    "{% endfor %}",
    "{% if payload.a %}",
    "{% endif %}",
    "{% set x = payload.a %}",
    "{% macro m(a) %}",
    "{% endmacro %}",
    "range(9)",
    "range(99999)",
    "* 2",
    "* 999999999",
    "~ payload.a",
    "+ 1",
    "** 99",
    "// 0",
    "% 0",
    "| list",
    "| length",
    "| sort",
    "| reverse",
    "| int",
    "| float",
    "| round(400)",
    "| title",
    "| trim",
    "| urlencode",
    "| split('')",
    "loop.index",
    "headers",
    "\x1f",
    "{\"a\":",
    "\"s3cret\"",
    "\"<b>&'\\\"\"",
    "\"\\u202e\"",
    "\"a\\r\\nBcc: x\"",
    "[1,2,3]",
    "1e308",
    "-1",
    "null",
    "}",
    "]",
];

/// One of each kind of place, with templates whose only values are the message's.
const FIXED: [(&str, Escape); 3] = [
    ("<p>{{ payload.a }}</p>", Escape::Html),
    ("Subject: {{ payload.a }}", Escape::Line),
    ("{\"text\":{{ payload.a }}}", Escape::Json(str::to_owned)),
];

fn of(payload: &str) -> Context {
    let message = Message::builder("a.b", "a", "1").payload(payload.to_owned(), "application/json").build();
    let run = Run::new("mail", Partition::new(0), vec![Delivery::new(message.expect("it is valid"), Position::seq(1))]);
    Context::of(&run, &run.deliveries[0])
}

/// What stands around a value is what the template has there, and nothing else.
fn stays_in_its_place(escape: Escape, text: &str) {
    assert!(!text.contains(['\u{202e}', '\u{1b}', '\0', '\r']), "{text:?}");
    match escape {
        Escape::Html => {
            let inner = text.strip_prefix("<p>").and_then(|text| text.strip_suffix("</p>"));
            assert!(inner.is_some_and(|inner| !inner.contains(['<', '>', '"', '\''])), "{text:?}");
        }
        Escape::Line => assert!(!text.contains('\n') && text.starts_with("Subject: "), "{text:?}"),
        _ => {
            let json: serde_json::Value =
                serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text:?}"));
            assert_eq!(json.as_object().map(serde_json::Map::len), Some(1), "{text:?}");
        }
    }
}

#[test]
fn a_template_ends_with_a_text_of_bounded_size_or_an_error_without_a_value_of_the_message() {
    let ready = |written| Written::parse(written).expect("it is a template");
    let fixed = FIXED.map(|(written, escape)| (ready(written).ready("text", escape), escape));
    Target::new("payload_templates", WORDS).longest(4_096).cost(4).run(|input| {
        let [written, payload] = texts::<2>(input);
        let context = of(&payload);
        for (template, escape) in &fixed {
            match template.render(&context) {
                Ok(text) => stays_in_its_place(*escape, &text),
                Err(error) => assert!(!error.text().contains("s3cret"), "{error}"),
            }
        }
        let parsed = Written::parse(written.clone());
        let rendered = match &parsed {
            Err(why) => {
                assert!(why.starts_with("is no template") && why.len() < 1_000, "{} bytes", why.len());
                assert!(!why.chars().any(char::is_control), "{why:?}");
                return Outcome::Refused;
            }
            Ok(parsed) => parsed.ready("text", Escape::Text).render(&context),
        };
        match &rendered {
            Ok(text) => assert!(text.len() <= MAX_BYTES),
            Err(error) => assert!(
                error.text().len() < 600 && (written.contains("s3cret") || !error.text().contains("s3cret")),
                "{error}"
            ),
        }
        Outcome::of(&rendered)
    });
}
