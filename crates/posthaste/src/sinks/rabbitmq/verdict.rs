//! What errors of the client and the broker mean.

use std::time::Duration;

use lapin::ErrorKind;
use lapin::protocol::{AMQPErrorKind, AMQPSoftError};

use super::encode::Publication;
use crate::sink::Error;

/// Everything that is not about a message is about the connection, and everybody's trouble.
pub(super) fn of_connection(address: &str, error: &lapin::Error) -> Error {
    Error::unreachable(format_args!("RabbitMQ at {address} cannot be reached: {error}"))
}

pub(super) fn silence(address: &str, patience: Duration) -> Error {
    Error::unreachable(format_args!("RabbitMQ at {address} did not answer within {patience:?}"))
}

/// What the broker said when it closed the channel, if it did.
pub(super) fn soft(error: &lapin::Error) -> Option<&AMQPSoftError> {
    match error.kind() {
        ErrorKind::ProtocolError(amqp) => match amqp.kind() {
            AMQPErrorKind::Soft(soft) => Some(soft),
            AMQPErrorKind::Hard(_) => None,
        },
        _ => None,
    }
}

/// The broker closed the channel because of this publication. `all_go_there`: its exchange is everybody's.
pub(super) fn of_publication(
    address: &str,
    error: &lapin::Error,
    publication: &Publication,
    all_go_there: bool,
) -> Error {
    let said =
        format_args!("exchange {:?}, routing key {:?}: {error}", publication.exchange(), publication.routing_key())
            .to_string();
    match soft(error) {
        // A message larger than the broker's `max_message_size`; the properties are ours and in order.
        Some(AMQPSoftError::PRECONDITIONFAILED) => Error::reject(said),
        Some(AMQPSoftError::NOTFOUND) if all_go_there => Error::unreachable(said),
        Some(_) => Error::retry(said),
        None => of_connection(address, error),
    }
}

/// Confirmed, and returned before that: no queue has it.
pub(super) fn unroutable(publication: &Publication) -> Error {
    Error::retry(format_args!(
        "no queue takes it: exchange {:?} has no binding for routing key {:?}",
        publication.exchange(),
        publication.routing_key()
    ))
}

/// A queue is full and its policy is to reject, or the broker failed inside.
pub(super) fn nacked(publication: &Publication) -> Error {
    Error::retry(format_args!(
        "the broker refused it (a full queue, or an internal error): exchange {:?}, routing key {:?}",
        publication.exchange(),
        publication.routing_key()
    ))
}
