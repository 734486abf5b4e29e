//! Lines that somebody else wrote, by the million: messages within their limits, or every bad line in few words.

use posthaste::message::Limits;
use posthaste_hostile::{Outcome, Target};

use super::*;

const WORDS: &[&str] = &[
    "{",
    "}",
    "\n",
    "\r\n",
    "\"event_type\":\"order.paid\"",
    "\"aggregate_type\":\"order\"",
    "\"aggregate_id\":\"1\"",
    ",",
    "\"payload\":",
    "{\"n\":1}",
    "\"<a>\"",
    "\"content_type\":\"text/xml\"",
    "\"headers\":[[\"a\",\"b\"]]",
    "\"key\":\"k\"",
    "\"unordered\":true",
    "\"tenant\":\"\"",
    "\"occurred_at\":\"2026-11-02T03:04:05Z\"",
    "\"due_at\":\"-009999-01-02T01:59:59Z\"",
    "\"max_attempts\":0",
    "\"origin_stream\":\"s\"",
    "\"source_event\":\"e\"",
    "\"id\":\"01890a5d-ac96-774b-bcce-b302099a8057\"",
    "\"id\":\"\"",
    "\"\\u001b[2J\":1",
    "\"\\ud800\"",
    "null",
    "{\"event_type\":\"order.paid\",\"aggregate_type\":\"order\",\"aggregate_id\":\"1\"",
    "}\n",
];

#[test]
fn lines_are_messages_within_their_limits_or_are_all_refused() {
    let limits = Limits::default();
    Target::new("json_lines", WORDS).longest(8_192).run(|input| {
        let text = String::from_utf8_lossy(input);
        let read = messages(&text);
        match &read {
            Ok(messages) => {
                assert_eq!(messages.len(), text.lines().filter(|line| !line.trim().is_empty()).count());
                assert!(messages.iter().all(|message| limits.check(message).is_ok()));
            }
            Err(why) => {
                assert!(why.chars().count() <= (SHOWN_PROBLEMS + 2) * (SHOWN_CHARS + 40), "{} bytes", why.len());
                assert!(!why.chars().any(|c| c.is_control() && c != '\n'), "{why:?}");
            }
        }
        Outcome::of(&read)
    });
}
