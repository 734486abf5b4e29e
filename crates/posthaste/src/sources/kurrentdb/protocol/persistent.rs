//! Reading by a persistent subscription, whose position the server keeps.

use prost::{Enumeration, Message, Oneof};

use super::streams::SubscriptionConfirmation;
use super::{Empty, RecordedEvent, StreamIdentifier, Uuid, UuidOption};

pub(crate) const READ: &str = "/event_store.client.persistent_subscriptions.PersistentSubscriptions/Read";

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadReq {
    #[prost(oneof = "Request", tags = "1, 2, 3")]
    pub(crate) content: Option<Request>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Request {
    #[prost(message, tag = "1")]
    Options(ReadOptions),
    #[prost(message, tag = "2")]
    Ack(Ack),
    #[prost(message, tag = "3")]
    Nack(Nack),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadOptions {
    #[prost(oneof = "StreamOption", tags = "1, 5")]
    pub(crate) stream: Option<StreamOption>,
    #[prost(string, tag = "2")]
    pub(crate) group_name: String,
    #[prost(int32, tag = "3")]
    pub(crate) buffer_size: i32,
    #[prost(message, optional, tag = "4")]
    pub(crate) uuid_option: Option<UuidOption>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum StreamOption {
    #[prost(message, tag = "1")]
    Stream(StreamIdentifier),
    #[prost(message, tag = "5")]
    All(Empty),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Ack {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) id: Vec<u8>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) ids: Vec<Uuid>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Nack {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) id: Vec<u8>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) ids: Vec<Uuid>,
    #[prost(enumeration = "NackAction", tag = "3")]
    pub(crate) action: i32,
    #[prost(string, tag = "4")]
    pub(crate) reason: String,
}

/// What the server does with an event that was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub(crate) enum NackAction {
    Unknown = 0,
    Park = 1,
    Retry = 2,
    Skip = 3,
    Stop = 4,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadResp {
    #[prost(oneof = "Response", tags = "1, 2")]
    pub(crate) content: Option<Response>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Response {
    #[prost(message, tag = "1")]
    Event(ReadEvent),
    #[prost(message, tag = "2")]
    Confirmation(SubscriptionConfirmation),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadEvent {
    #[prost(message, optional, tag = "1")]
    pub(crate) event: Option<RecordedEvent>,
    #[prost(message, optional, tag = "2")]
    pub(crate) link: Option<RecordedEvent>,
    #[prost(uint64, optional, tag = "3")]
    pub(crate) commit_position: Option<u64>,
    #[prost(int32, optional, tag = "5")]
    pub(crate) retry_count: Option<i32>,
}
