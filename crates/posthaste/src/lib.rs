//! A transactional outbox: events written with your data, delivered in order, to wherever they must go.

// So that the derived code names the crate the same way inside and outside of it.
extern crate self as posthaste;

mod clock;
mod crash_point;
mod engine;
mod settings;

#[cfg(feature = "conformance")]
pub mod conformance;
pub mod destination;
pub mod domain;
pub mod duration;
pub mod error;
pub mod inspect;
pub mod journal;
pub mod message;
pub mod relay;
pub mod retry;
pub mod rules;
pub mod secret;
#[cfg(feature = "simulator")]
pub mod simulator;
pub mod sink;
pub mod sinks;
pub mod store;
pub mod stores;
#[cfg(feature = "testkit")]
pub mod testkit;

pub use destination::Destination;
pub use error::{Error, Result};
pub use message::Message;
pub use relay::Relay;
pub use secret::Secret;
