//! Reading `$all` by a filtered subscription.

use prost::{Message, Oneof};

use super::{Empty, RecordedEvent, StreamIdentifier, UuidOption};

pub(crate) const READ: &str = "/event_store.client.streams.Streams/Read";

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadReq {
    #[prost(message, optional, tag = "1")]
    pub(crate) options: Option<ReadOptions>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadOptions {
    #[prost(message, optional, tag = "2")]
    pub(crate) all: Option<AllOptions>,
    /// Zero is forwards.
    #[prost(int32, tag = "3")]
    pub(crate) read_direction: i32,
    #[prost(bool, tag = "4")]
    pub(crate) resolve_links: bool,
    #[prost(message, optional, tag = "6")]
    pub(crate) subscription: Option<Empty>,
    #[prost(oneof = "Filtering", tags = "7, 8")]
    pub(crate) filtering: Option<Filtering>,
    #[prost(message, optional, tag = "9")]
    pub(crate) uuid_option: Option<UuidOption>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Filtering {
    #[prost(message, tag = "7")]
    Filter(FilterOptions),
    #[prost(message, tag = "8")]
    Unfiltered(Empty),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct AllOptions {
    #[prost(oneof = "ReadFrom", tags = "1, 2, 3")]
    pub(crate) from: Option<ReadFrom>,
}

#[derive(Clone, Copy, PartialEq, Oneof)]
pub(crate) enum ReadFrom {
    #[prost(message, tag = "1")]
    Position(Position),
    #[prost(message, tag = "2")]
    Start(Empty),
    #[prost(message, tag = "3")]
    End(Empty),
}

#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct Position {
    #[prost(uint64, tag = "1")]
    pub(crate) commit_position: u64,
    #[prost(uint64, tag = "2")]
    pub(crate) prepare_position: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct FilterOptions {
    #[prost(oneof = "FilterBy", tags = "1, 2")]
    pub(crate) by: Option<FilterBy>,
    /// Events looked at between two checkpoints, times the multiplier.
    #[prost(uint32, optional, tag = "3")]
    pub(crate) max: Option<u32>,
    #[prost(message, optional, tag = "4")]
    pub(crate) count: Option<Empty>,
    #[prost(uint32, tag = "5")]
    pub(crate) checkpoint_interval_multiplier: u32,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum FilterBy {
    #[prost(message, tag = "1")]
    Stream(Expression),
    #[prost(message, tag = "2")]
    EventType(Expression),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Expression {
    #[prost(string, tag = "1")]
    pub(crate) regex: String,
    #[prost(string, repeated, tag = "2")]
    pub(crate) prefix: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadResp {
    #[prost(oneof = "Content", tags = "1, 2, 3, 4, 8, 9")]
    pub(crate) content: Option<Content>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Content {
    #[prost(message, tag = "1")]
    Event(ReadEvent),
    #[prost(message, tag = "2")]
    Confirmation(SubscriptionConfirmation),
    #[prost(message, tag = "3")]
    Checkpoint(Position),
    #[prost(message, tag = "4")]
    StreamNotFound(StreamNotFound),
    #[prost(message, tag = "8")]
    CaughtUp(Empty),
    #[prost(message, tag = "9")]
    FellBehind(Empty),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadEvent {
    #[prost(message, optional, tag = "1")]
    pub(crate) event: Option<RecordedEvent>,
    #[prost(message, optional, tag = "2")]
    pub(crate) link: Option<RecordedEvent>,
    #[prost(uint64, optional, tag = "3")]
    pub(crate) commit_position: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct SubscriptionConfirmation {
    #[prost(string, tag = "1")]
    pub(crate) subscription_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct StreamNotFound {
    #[prost(message, optional, tag = "1")]
    pub(crate) stream_identifier: Option<StreamIdentifier>,
}
