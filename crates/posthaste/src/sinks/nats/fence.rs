//! The last sequence number of each subject, so that a message can name the one it follows. A worker that was away for a while
//! knows an old one, and what it sends is refused.

use async_nats::jetstream::Context;
use async_nats::jetstream::stream::LastRawMessageErrorKind;

use crate::sink::Error;
use crate::sink::bounded_map::BoundedMap;

#[derive(Debug, Default)]
pub(super) struct Fence(BoundedMap<String, u64>);

impl Fence {
    /// As known, or else as the stream has it; zero if it has none.
    pub(super) async fn last(&self, context: &Context, subject: &str) -> Result<u64, Error> {
        match self.0.get(subject) {
            Some(sequence) => Ok(sequence),
            None => look_up(context, subject).await,
        }
    }

    pub(super) fn learn(&self, subject: &str, sequence: u64) {
        // A repeat is answered with where it is, which is behind what came after it.
        self.0.update(subject, |last| sequence.max(last.unwrap_or_default()));
    }

    pub(super) fn forget(&self, subject: &str) {
        self.0.forget(subject);
    }
}

async fn look_up(context: &Context, subject: &str) -> Result<u64, Error> {
    let unknown =
        |why: &dyn std::fmt::Display| Error::retry(format_args!("cannot look up the last of {subject:?}: {why}"));
    let name = context.stream_by_subject(subject).await.map_err(|error| unknown(&error))?;
    let stream = context.get_stream_no_info(name).await.map_err(|error| unknown(&error))?;
    match stream.get_last_raw_message_by_subject(subject).await {
        Ok(message) => Ok(message.sequence),
        Err(error) if matches!(error.kind(), LastRawMessageErrorKind::NoMessageFound) => Ok(0),
        Err(error) => Err(unknown(&error)),
    }
}
