//! The messages of the public protocol that are used here, by their field numbers. Written by hand: they are few, and so no compiler for
//! them is needed.

use prost::{Enumeration, Message, Oneof};

pub(crate) mod gossip;
pub(crate) mod persistent;
pub(crate) mod streams;

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Empty {}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct StreamIdentifier {
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) stream_name: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Uuid {
    #[prost(oneof = "UuidValue", tags = "1, 2")]
    pub(crate) value: Option<UuidValue>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum UuidValue {
    #[prost(message, tag = "1")]
    Structured(StructuredUuid),
    #[prost(string, tag = "2")]
    Text(String),
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct StructuredUuid {
    #[prost(int64, tag = "1")]
    pub(crate) most_significant_bits: i64,
    #[prost(int64, tag = "2")]
    pub(crate) least_significant_bits: i64,
}

/// How ids are written.
#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct UuidOption {
    #[prost(oneof = "UuidForm", tags = "1, 2")]
    pub(crate) content: Option<UuidForm>,
}

#[derive(Clone, Copy, PartialEq, Oneof)]
pub(crate) enum UuidForm {
    #[prost(message, tag = "1")]
    Structured(Empty),
    #[prost(message, tag = "2")]
    Text(Empty),
}

/// An event as both kinds of subscription send it.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct RecordedEvent {
    #[prost(message, optional, tag = "1")]
    pub(crate) id: Option<Uuid>,
    #[prost(message, optional, tag = "2")]
    pub(crate) stream_identifier: Option<StreamIdentifier>,
    #[prost(uint64, tag = "3")]
    pub(crate) stream_revision: u64,
    #[prost(uint64, tag = "4")]
    pub(crate) prepare_position: u64,
    #[prost(uint64, tag = "5")]
    pub(crate) commit_position: u64,
    #[prost(map = "string, string", tag = "6")]
    pub(crate) metadata: std::collections::HashMap<String, String>,
    #[prost(bytes = "bytes", tag = "7")]
    pub(crate) custom_metadata: bytes::Bytes,
    #[prost(bytes = "bytes", tag = "8")]
    pub(crate) data: bytes::Bytes,
}

impl Uuid {
    /// As text.
    pub(crate) fn new(id: impl std::fmt::Display) -> Self {
        Self { value: Some(UuidValue::Text(id.to_string())) }
    }

    /// Whichever way it is written; empty if it is missing.
    pub(crate) fn text(&self) -> String {
        match &self.value {
            Some(UuidValue::Text(text)) => text.clone(),
            Some(UuidValue::Structured(id)) => {
                let (high, low) = (id.most_significant_bits as u64, id.least_significant_bits as u64);
                uuid::Uuid::from_u64_pair(high, low).to_string()
            }
            None => String::new(),
        }
    }
}

impl StreamIdentifier {
    pub(crate) fn new(name: &str) -> Self {
        Self { stream_name: name.as_bytes().to_vec() }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stream_name).into_owned()
    }
}

impl UuidOption {
    pub(crate) const TEXT: Self = Self { content: Some(UuidForm::Text(Empty {})) };
}

/// What a node is at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub(crate) enum NodeState {
    Initializing = 0,
    DiscoverLeader = 1,
    Unknown = 2,
    PreReplica = 3,
    CatchingUp = 4,
    Clone = 5,
    Follower = 6,
    PreLeader = 7,
    Leader = 8,
    Manager = 9,
    ShuttingDown = 10,
    Shutdown = 11,
    ReadOnlyLeaderless = 12,
    PreReadOnlyReplica = 13,
    ReadOnlyReplica = 14,
    ResigningLeader = 15,
}
