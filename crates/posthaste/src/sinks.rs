//! Where messages can go. Each sink implements [`Sink`](crate::sink::Sink) and names nothing but the vocabulary and that port.
//!
//! All are laid out alike. `<sink>.rs` says what the sink promises and has the type with `deliver` and `check`; beside it are, where the
//! sink has them:
//!
//! | file | what |
//! |---|---|
//! | `settings.rs` | what the config can say, and what is wrong with it |
//! | `connection.rs` | the client: login, TLS, a new connection after one was lost |
//! | `encode.rs` | a message as bytes, headers and names |
//! | `publish.rs` | handing messages over and waiting until they are confirmed |
//! | `verdict.rs` | what an error means for the message |
//!
//! What only one sink has is a file of its own, with a name that says it. What several need is in [`sink`](crate::sink).

#[cfg(feature = "bullmq")]
pub mod bullmq;
#[cfg(feature = "email")]
pub mod email;
#[cfg(feature = "handlers")]
pub mod handlers;
#[cfg(feature = "kafka")]
pub mod kafka;
#[cfg(feature = "nats")]
pub mod nats;
#[cfg(feature = "rabbitmq")]
pub mod rabbitmq;
#[cfg(feature = "redis")]
pub mod redis;
#[cfg(feature = "slack")]
pub mod slack;
#[cfg(feature = "sms")]
pub mod sms;
#[cfg(feature = "stdout")]
pub mod stdout;
#[cfg(feature = "webhook")]
pub mod webhook;
