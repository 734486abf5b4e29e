//! Expressions and inputs that are made to do harm, by the million: results within their bounds, or an error without a value of the message.

use posthaste_hostile::{Outcome, Target, texts};

use super::*;
use crate::message::Message;

const WORDS: &[&str] = &[
    ".",
    ".a",
    ".[0]",
    ".[]",
    ".[]?",
    "..",
    "|",
    ",",
    "+",
    "*",
    "-",
    "/",
    "%",
    "==",
    "and",
    "or",
    "not",
    "//",
    "?",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"x\"",
    "\"\\(.)\"",
    "1e300",
    "-1",
    "99999999",
    "null",
    "reduce .[] as $i (0; . + $i)",
    "foreach range(9) as $i (0; .)",
    "def f: ",
    "f;",
    "def f(g): g | g; f(.)",
    "recurse",
    "range(1000000)",
    "repeat(.)",
    "limit(3; .)",
    "until(false; .)",
    "test(\"(a+)+$\")",
    "gsub(\"\"; \"a\")",
    "split(\"\")",
    "ltrimstr(\"a\")",
    "explode",
    "implode",
    "tojson",
    "fromjson",
    "tostring",
    "tonumber",
    "todate",
    "fromdate",
    "strftime(\"%Y\")",
    "mktime",
    "sort",
    "group_by(.)",
    "keys",
    "to_entries",
    "add",
    "join(\",\")",
    "@base64",
    "@base64d",
    "@uri",
    "@csv",
    "@sh",
    "@html",
    "error",
    "try ",
    " catch .",
    "as $x | ",
    "label $out | ",
    "break $out",
    "paths",
    "getpath([\"a\"])",
    "setpath([0]; 1)",
    "del(.a)",
    " = 1",
    " |= .",
    "+= 1",
    "env",
    "input",
    "now",
    "$__loc__",
    "\x1f",
    "{\"a\":\"s3cret\"}",
    "[1,2,3]",
    "\"s3cret\"",
    "1e308",
];

/// Far more than any bound lets through.
const LARGEST: usize = 64 << 20;

#[test]
fn an_expression_ends_within_its_bounds_and_its_errors_show_no_value() {
    Target::new("expressions", WORDS).longest(2_048).cost(40).run(|input| {
        let [source, payload] = texts::<2>(input);
        let expression = match Expression::new(&source) {
            Ok(expression) => expression,
            Err(wrong) => {
                assert!(wrong.line >= 1 && wrong.column >= 1);
                assert!(wrong.to_string().len() <= 4 * source.len() + 1_000, "{} bytes", wrong.to_string().len());
                return Outcome::Refused;
            }
        };
        let applied = expression.apply(payload.as_bytes());
        if let Ok(results) = &applied {
            assert!(results.len() <= MAX_RESULTS && results.iter().map(Vec::len).sum::<usize>() <= LARGEST);
            assert!(results.iter().all(|json| serde_json::from_slice::<serde::de::IgnoredAny>(json).is_ok()));
        }
        let message =
            Message::builder("a.b", "a", "1").payload(payload, "application/json").build().expect("it is valid");
        let takes = filter::takes(&expression, &message, Errors::Discreet);
        let changed = Transform::new(&source).expect("it was compiled before").apply(&message);
        for why in [takes.err(), changed.as_ref().err().cloned()].into_iter().flatten() {
            assert!(why.len() <= 5_000, "{} bytes", why.len());
            assert!(source.contains("s3cret") || !why.contains("s3cret"), "{why}");
        }
        if let Ok(changed) = changed {
            assert_eq!((changed.id, &changed.key), (message.id, &message.key));
        }
        Outcome::of(&applied)
    });
}
