//! Payloads that want to be more than text.

use posthaste::sink::Verdict;
use posthaste::sinks::slack::Slack;
use serde_json::json;

use super::settings;
use super::workspace::{Channel, shown};
use crate::servers;
use crate::sinks::changed;
use crate::sinks::everything::{HOSTILE, deliver, order, refusal, written};

#[tokio::test]
async fn nothing_is_injected_into_a_post_or_its_blocks() {
    let channel = Channel::create().await;
    let blocks = r#"[{"type": "section", "text": {"type": "mrkdwn", "text": {{ payload.x }}}},
        {"type": "header", "text": {"type": "plain_text", "text": {{ "Order " ~ payload.x }}}},
        {"type": "context", "elements": [{"type": "plain_text", "text": {{ payload.n ~ "" }}}]}]"#;
    let settings = changed(settings(&servers::address("slack"), &channel.id, "T {{ payload.x }} E"), |settings| {
        settings.blocks = Some(written(blocks));
    });
    let sink = Slack::new(settings).expect("the settings are good");
    let message = order(&json!({ "x": HOSTILE, "n": 7 })).build().unwrap();
    let outcome = deliver(&sink, &message, None).await;
    assert!(outcome.error.is_none(), "{outcome:?}");

    let posts = channel.posts().await;
    let [post] = posts.as_slice() else { panic!("{posts:?}") };
    let everything = post.to_string();
    assert!(!everything.contains('<') && !everything.contains('>'), "no mention and no link: {everything}");
    for mark in ['\u{202e}', '\u{2066}', '\u{200f}', '\u{1b}'] {
        assert!(!everything.contains(mark), "{mark:?}");
    }
    assert!(shown(post).contains("<!channel> <@U123> @everyone"), "it is shown as what it is");
    assert_eq!(post["mrkdwn"], false, "nothing of it is formatted");
    let blocks = post["blocks"].as_array().expect("a list");
    assert_eq!(blocks.len(), 3, "a value adds no block");
    assert_eq!(blocks[2]["elements"][0]["text"], "7");
}

#[tokio::test]
async fn a_value_that_is_no_text_cannot_take_the_place_of_one() {
    let channel = Channel::create().await;
    let blocks = r#"[{"type": "section", "text": {{ payload.x }}}]"#;
    let settings = changed(settings(&servers::address("slack"), &channel.id, "x"), |settings| {
        settings.blocks = Some(written(blocks));
    });
    let sink = Slack::new(settings).expect("the settings are good");
    let injected = json!({ "type": "mrkdwn", "text": "<!channel>" });
    let error = refusal(&sink, &order(&json!({ "x": injected })).build().unwrap()).await;
    assert_eq!(error.verdict, Verdict::Reject);
    assert_eq!(error.text(), "blocks: `payload.x` is a list or a table: print its fields");
    assert!(channel.posts().await.is_empty());
}

#[tokio::test]
async fn a_post_that_is_too_long_is_cut_and_says_so() {
    let channel = Channel::create().await;
    let sink = Slack::new(settings(&servers::address("slack"), &channel.id, "{{ payload.x }}")).expect("good settings");
    assert!(deliver(&sink, &order(&json!({ "x": "ä".repeat(50_000) })).build().unwrap(), None).await.error.is_none());
    let posts = channel.posts().await;
    assert_eq!(shown(&posts[0]).chars().count(), 40_000);
    assert!(shown(&posts[0]).ends_with("ä…"));
}
