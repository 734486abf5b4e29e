//! What a filter and a transformation would do to a message, for whoever may see it.

use super::{Errors, Expression, Transform, filter};
use crate::message::Message;

/// What would become of a message at a destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trial {
    /// The filter leaves it out.
    FilteredOut,
    /// One of the two fails: the message would be dead. The error may show values of the message.
    Rejected(String),
    /// It would be delivered so.
    Delivered(Box<Message>),
}

/// Tries a filter and a transformation on a message. Nothing is delivered.
pub fn attempt(filter: Option<&Expression>, transform: Option<&Transform>, message: &Message) -> Trial {
    match filter.map(|filter| filter::takes(filter, message, Errors::Frank)) {
        Some(Ok(false)) => return Trial::FilteredOut,
        Some(Err(error)) => return Trial::Rejected(error),
        None | Some(Ok(true)) => {}
    }
    match transform.map_or_else(|| Ok(message.clone()), |transform| transform.apply_with(message, Errors::Frank)) {
        Ok(message) => Trial::Delivered(Box::new(message)),
        Err(error) => Trial::Rejected(error),
    }
}
