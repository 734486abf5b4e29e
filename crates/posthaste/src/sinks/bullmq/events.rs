//! The events of a queue, as the stream that BullMQ keeps of them.

use std::time::Duration;

use redis::streams::{StreamRangeReply, StreamReadReply};
use redis::{Cmd, RedisResult};

use crate::sink::redis_client::Connection;

/// How long the server waits for an event.
pub(super) const BLOCK: Duration = Duration::from_secs(1);
/// Events of one read.
const COUNT: usize = 1_000;
/// What can have ended a job. BullMQ says of a job that it failed when no attempt is left, and the jobs here have one.
const ENDS: [&str; 3] = ["completed", "failed", "removed"];

pub(super) struct Events {
    stream: String,
    /// Its own: whoever waits on a connection keeps all others on it waiting.
    connection: Connection,
    /// Everything up to this one was read.
    after: String,
    /// A read has begun and not ended: the server may still wait on that connection.
    unfinished: bool,
}

impl Events {
    pub(super) fn new(base: &str, connection: Connection) -> Self {
        Self { stream: format!("{base}events"), connection, after: "0-0".into(), unfinished: false }
    }

    /// Starts after the newest event.
    pub(super) async fn begin(&mut self, commands: &Connection) -> RedisResult<()> {
        let newest = Cmd::xrevrange_count(&self.stream, "+", "-", 1);
        let newest = commands.query::<StreamRangeReply>(&newest).await?;
        self.after = newest.ids.into_iter().next().map_or_else(|| "0-0".into(), |event| event.id);
        Ok(())
    }

    /// Waits a moment for events, and says which jobs may have ended. May be dropped: what was not returned is read again.
    pub(super) async fn next(&mut self) -> RedisResult<Vec<String>> {
        if std::mem::replace(&mut self.unfinished, true) {
            self.connection.discard().await;
        }
        let mut read = redis::cmd("XREAD");
        read.arg("COUNT").arg(COUNT).arg("BLOCK").arg(BLOCK.as_millis() as u64);
        read.arg("STREAMS").arg(&self.stream).arg(&self.after);
        let events = self.connection.query::<Option<StreamReadReply>>(&read).await;
        self.unfinished = false;
        let events: Vec<_> = events?.into_iter().flat_map(|reply| reply.keys).flat_map(|stream| stream.ids).collect();
        if let Some(last) = events.last() {
            self.after.clone_from(&last.id);
        }
        let ends = |event: &&redis::streams::StreamId| {
            event.get::<String>("event").is_some_and(|event| ENDS.contains(&event.as_str()))
        };
        Ok(events.iter().filter(ends).filter_map(|event| event.get("jobId")).collect())
    }
}
