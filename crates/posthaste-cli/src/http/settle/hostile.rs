//! What receivers say of messages, by the million: one of two outcomes, or a refusal.

use axum::http::{HeaderValue, header};
use axum::response::IntoResponse as _;
use posthaste_hostile::{Outcome as Came, Target};

use super::*;

const WORDS: &[&str] = &[
    "{",
    "}",
    "\"outcome\":",
    "\"sent\"",
    "\"failed\"",
    ",",
    "\"reason\":",
    "\"no such order\"",
    "\" \"",
    "\"retry\":",
    "true",
    "false",
    "null",
    "\"hand_over\":",
    "\"\"",
    "\"x\"",
    "[",
    "]",
    "\"outcome\":\"failed\",\"reason\":\"r\"",
    "\"Sent\"",
    "1",
];

#[test]
fn a_receiver_says_sent_or_why_it_failed() {
    let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    Target::new("callbacks", WORDS).run(|input| {
        let answer = query::body::<Settle>(&headers, &Bytes::copy_from_slice(input)).and_then(Settle::answer);
        match answer {
            Ok(Answer { hand_over, says }) => {
                assert!(hand_over.is_none_or(|hand_over| !hand_over.is_empty()));
                let text = String::from_utf8_lossy(input);
                match says {
                    Says::Sent => assert!(text.contains("sent") || text.contains('\\'), "{text}"),
                    Says::Failed { reason, .. } => assert!(!reason.trim().is_empty()),
                }
                Came::Taken
            }
            Err(problem) => {
                assert_eq!(problem.into_response().status(), 400);
                Came::Refused
            }
        }
    });
}
