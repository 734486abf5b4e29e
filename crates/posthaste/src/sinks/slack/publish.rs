//! One post for one message, and the answer to it.

use super::{Slack, thread, verdict};
use crate::sink::http::with_json;
use crate::sink::{Delivery, Error, Run};

impl Slack {
    /// Posts one message; `Ok` is a confirmation.
    pub(super) async fn post(&self, run: &Run, delivery: &Delivery) -> Result<(), Error> {
        let mut post = self.encoder.post(&self.service, run, delivery)?;
        let key = delivery.message.order_key();
        let Some((threads, key)) = self.threads.as_ref().zip(key) else {
            return self.hand_in(&post.document).await.map(drop);
        };
        post.document["metadata"] = thread::metadata(&key);
        let opened = self.thread_of(threads, &post.channel, &key).await;
        if let Some(opened) = &opened {
            post.document["thread_ts"] = opened.as_str().into();
        }
        let mut posted = self.hand_in(&post.document).await;
        if opened.is_some() && posted.as_ref().is_err_and(verdict::is_about_thread) {
            // Somebody deleted the post that opened it. This one was not taken, so it opens another.
            post.document["thread_ts"] = serde_json::Value::Null;
            posted = self.hand_in(&post.document).await;
            threads.learn(&post.channel, &key, None);
        }
        let stamp = posted?;
        if threads.is_new(&post.channel, &key) {
            threads.learn(&post.channel, &key, stamp.as_deref());
        }
        Ok(())
    }

    /// Sends a post and says what it is known by.
    async fn hand_in(&self, document: &serde_json::Value) -> Result<Option<String>, Error> {
        let (url, request) = self.service.request(&self.http, "chat.postMessage");
        // An answer repeats the post, so it is as long as that.
        let answer = self.http.exchange_whole(&url, with_json(request, document)).await?;
        verdict::of(&self.service, &answer, self.encoder.channel_is_fixed, self.retry_after_cap)
    }

    pub(super) async fn ask(&self) -> Result<(), Error> {
        if !self.service.has_threads() {
            return self.http.reach(&self.service.root()).await;
        }
        let (url, request) = self.service.request(&self.http, "auth.test");
        let answer = self.http.exchange(&url, request).await.map_err(Error::unreachable)?;
        verdict::of(&self.service, &answer, true, self.retry_after_cap).map(drop).map_err(Error::unreachable)
    }
}
