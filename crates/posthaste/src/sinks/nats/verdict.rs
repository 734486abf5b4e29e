//! What NATS says, and what it means for a message.

use std::error::Error as _;

use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::{self, Context, ErrorCode};

use super::connection::Connection;
use crate::sink::{Error, Verdict};

/// A message could not even be sent.
pub(super) fn of_publish(error: &PublishError, subject: &str, connection: &Connection) -> Error {
    match error.kind() {
        PublishErrorKind::MaxPayloadExceeded => {
            Error::reject(format_args!("is larger than {connection} takes (`max_payload`)"))
        }
        _ => Error::unreachable(format_args!("{connection} takes nothing for {subject:?}: {error}")),
    }
}

/// It was sent, and the answer is no, or none.
pub(super) async fn of_ack(error: &PublishError, subject: &str, connection: &Connection, context: &Context) -> Error {
    match error.kind() {
        PublishErrorKind::StreamNotFound => no_stream(subject, connection, context).await,
        PublishErrorKind::TimedOut if connection.is_forbidden(subject) => {
            Error::retry(format_args!("{connection} does not let us publish to {subject:?}"))
        }
        PublishErrorKind::TimedOut => Error::unreachable(format_args!("{connection} does not acknowledge")),
        PublishErrorKind::BrokenPipe | PublishErrorKind::MaxAckPending | PublishErrorKind::MaxPayloadExceeded => {
            Error::unreachable(format_args!("{connection} is gone: {error}"))
        }
        _ => match error.source().and_then(|source| source.downcast_ref::<jetstream::Error>()) {
            Some(said) => {
                Error::new(verdict(said), format_args!("{connection} refuses a message for {subject:?}: {said}"))
            }
            None => Error::unreachable(format_args!("{connection} answers what nobody understands: {error}")),
        },
    }
}

/// Nobody has answered: there is no stream for the subject, or none that has a leader, or no JetStream at all.
async fn no_stream(subject: &str, connection: &Connection, context: &Context) -> Error {
    if let Err(error) = connection.check(context).await {
        return error;
    }
    match context.stream_by_subject(subject).await {
        Ok(stream) => Error::unreachable(format_args!("{connection} has no leader for the stream {stream:?}")),
        Err(_) => {
            Error::retry(format_args!("{connection} has no stream that takes {subject:?}: add the subject to one"))
        }
    }
}

fn verdict(said: &jetstream::Error) -> Verdict {
    let code = said.error_code();
    match code {
        ErrorCode::STREAM_MESSAGE_EXCEEDS_MAXIMUM | ErrorCode::STREAM_HEADER_EXCEEDS_MAXIMUM => Verdict::Reject,
        // Full, and told to take no more until there is room. A limit per subject is the matter of that subject.
        ErrorCode::STREAM_STORE_FAILED if !said.to_string().contains("per subject") => Verdict::Unreachable,
        ErrorCode::INSUFFICIENT_RESOURCES
        | ErrorCode::ACCOUNT_RESOURCES_EXCEEDED
        | ErrorCode::STORAGE_RESOURCES_EXCEEDED
        | ErrorCode::MEMORY_RESOURCES_EXCEEDED
        | ErrorCode::JETSTREAM_NOT_ENABLED
        | ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT => Verdict::Unreachable,
        _ => Verdict::Retry,
    }
}
