//! A channel, and what stands in it.

use serde_json::{Value, json};

use crate::servers;

pub(super) const TOKEN: &str = "xoxb-5f2d9e";

/// A channel that nobody else uses.
pub(super) struct Channel {
    pub(super) id: String,
}

impl Channel {
    pub(super) async fn create() -> Self {
        let name = format!("t-{}", uuid::Uuid::now_v7().simple());
        let made = call("conversations.create", &json!({ "name": name })).await;
        Self { id: made["channel"]["id"].as_str().expect("an id").to_owned() }
    }

    /// All posts but answers in threads, oldest first.
    pub(super) async fn posts(&self) -> Vec<Value> {
        let mut posts = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = json!({ "channel": self.id, "limit": 999, "cursor": cursor });
            let page = call("conversations.history", &page).await;
            posts.extend(
                page["messages"]
                    .as_array()
                    .expect("a list")
                    .iter()
                    .filter(|post| post["subtype"].is_null() || post["subtype"] == "bot_message")
                    .cloned(),
            );
            cursor = page["response_metadata"]["next_cursor"].as_str().unwrap_or_default().to_owned();
            if cursor.is_empty() {
                posts.reverse();
                return posts;
            }
        }
    }

    /// A thread, with the post that opened it.
    pub(super) async fn thread(&self, ts: &Value) -> Vec<Value> {
        let thread = call("conversations.replies", &json!({ "channel": self.id, "ts": ts })).await;
        thread["messages"].as_array().expect("a list").clone()
    }

    pub(super) async fn delete(&self, ts: &Value) {
        call("chat.delete", &json!({ "channel": self.id, "ts": ts })).await;
    }
}

/// What a reader sees of a post.
pub(super) fn shown(post: &Value) -> String {
    let text = post["text"].as_str().expect("a text");
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

async fn call(method: &str, arguments: &Value) -> Value {
    let url = format!("http://{}/api/{method}", servers::address("slack"));
    let request = reqwest::Client::new().post(url).bearer_auth(TOKEN).header("content-type", "application/json");
    let answer = request.body(arguments.to_string()).send().await.expect("it answers");
    let answer: Value = serde_json::from_slice(&answer.bytes().await.expect("it has a body")).expect("it is JSON");
    assert_eq!(answer["ok"], true, "{method}: {answer}");
    answer
}
