//! What Redis said, and what it means for a message: the same for every sink that speaks to it.

pub(super) use crate::sink::redis_client::{from_client, from_server};
