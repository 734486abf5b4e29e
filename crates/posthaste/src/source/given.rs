//! What a log says about the message to make.

use jiff::Timestamp;

use crate::message::Text;

/// What a log says about the message to make, where it has a place for that, as tables of outboxes have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// The type of the aggregate, and which one it is. Where it is not given, it is taken from the stream.
    pub aggregate: Option<(Text, Text)>,
    /// The ordering scope: the aggregate, or else the stream, unless given.
    pub key: Option<Text>,
    /// The only destination.
    pub destination: Option<Text>,
    /// Not to be delivered before.
    pub due_at: Option<Timestamp>,
}
