//! Who is in the cluster.

use prost::Message;

use super::{NodeState, Uuid};

pub(crate) const READ: &str = "/event_store.client.gossip.Gossip/Read";

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ClusterInfo {
    #[prost(message, repeated, tag = "1")]
    pub(crate) members: Vec<MemberInfo>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct MemberInfo {
    #[prost(message, optional, tag = "1")]
    pub(crate) instance_id: Option<Uuid>,
    #[prost(int64, tag = "2")]
    pub(crate) time_stamp: i64,
    #[prost(enumeration = "NodeState", tag = "3")]
    pub(crate) state: i32,
    #[prost(bool, tag = "4")]
    pub(crate) is_alive: bool,
    #[prost(message, optional, tag = "5")]
    pub(crate) http_end_point: Option<EndPoint>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct EndPoint {
    #[prost(string, tag = "1")]
    pub(crate) address: String,
    #[prost(uint32, tag = "2")]
    pub(crate) port: u32,
}
