//! The messages of a key in one thread.

use posthaste::message::Message;
use posthaste::sinks::slack::Slack;
use serde_json::{Value, json};

use super::settings;
use super::workspace::{Channel, shown};
use crate::servers;
use crate::sinks::changed;
use crate::sinks::everything::deliver;

fn threaded(channel: &Channel) -> Slack {
    let settings = settings(&servers::address("slack"), &channel.id, "{{ aggregate_id }}: {{ payload.n }}");
    Slack::new(changed(settings, |settings| settings.thread = true)).expect("the settings are good")
}

fn message(order: &str, n: u32) -> Message {
    Message::builder("order.changed", "order", order).json(&json!({ "n": n })).build().unwrap()
}

async fn post(sink: &Slack, order: &str, n: u32) {
    let outcome = deliver(sink, &message(order, n), None).await;
    assert!(outcome.error.is_none(), "{outcome:?}");
}

fn texts(posts: &[Value]) -> Vec<String> {
    posts.iter().map(shown).collect()
}

#[tokio::test]
async fn the_messages_of_a_key_answer_to_its_first_one_also_after_a_restart() {
    let channel = Channel::create().await;
    let sink = threaded(&channel);
    for (order, n) in [("1", 1), ("2", 1), ("1", 2)] {
        post(&sink, order, n).await;
    }
    let another = threaded(&channel);
    for (order, n) in [("1", 3), ("2", 2), ("3", 1), ("1", 4)] {
        post(&another, order, n).await;
    }
    let posts = channel.posts().await;
    assert_eq!(texts(&posts), ["1: 1", "2: 1", "3: 1"]);
    assert_eq!(texts(&channel.thread(&posts[0]["ts"]).await), ["1: 1", "1: 2", "1: 3", "1: 4"]);
    assert_eq!(texts(&channel.thread(&posts[1]["ts"]).await), ["2: 1", "2: 2"]);
}

#[tokio::test]
async fn a_message_without_a_key_stands_by_itself() {
    let channel = Channel::create().await;
    let sink = threaded(&channel);
    for n in 1..=2 {
        let unordered =
            Message::builder("order.changed", "order", "1").json(&json!({ "n": n })).unordered().build().unwrap();
        assert!(deliver(&sink, &unordered, None).await.error.is_none());
    }
    assert_eq!(texts(&channel.posts().await), ["1: 1", "1: 2"]);
}

#[tokio::test]
async fn a_thread_whose_first_post_was_deleted_loses_no_message() {
    let channel = Channel::create().await;
    let sink = threaded(&channel);
    post(&sink, "1", 1).await;
    let opener = channel.posts().await[0]["ts"].clone();
    channel.delete(&opener).await;
    post(&sink, "1", 2).await;
    post(&sink, "1", 3).await;
    let mut everything = texts(&channel.posts().await);
    everything.extend(texts(&channel.thread(&opener).await));
    assert!(["1: 2", "1: 3"].iter().all(|text| everything.iter().any(|seen| seen == text)), "{everything:?}");
}
