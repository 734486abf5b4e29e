//! A transactional outbox: events written with your data, delivered in order, to wherever they must go.
//!
//! # The problem
//!
//! A service saves an order in its database and tells a broker that the order was created. If the process dies between the two, one
//! of them is missing, and no order of the two steps helps. One transaction does: the event is written into an *outbox* in the same
//! database, in the same transaction as the order, and a *relay* delivers it afterwards. Posthaste is that outbox and that relay.
//!
//! It keeps a **journal**: a [`Message`] is written once and never changed. The journal gives every committed message a **position**
//! and is cut into **partitions** by hash of tenant and key. A worker holds partitions by **lease**. For each **destination**, a
//! **lane** walks a partition from its **cursor** and hands **runs** (consecutive messages of one key) to a **sink**. Whatever
//! cannot be delivered now is **parked** beside the walk, so a bad message holds up its own key and nobody else.
//!
//! # A program
//!
//! ```
//! use std::sync::Arc;
//!
//! use posthaste::sinks::handlers::{Handlers, handler_fn};
//! use posthaste::store::Store;
//! use posthaste::stores::sqlite::{self, Options, Outbox, Sqlite};
//! use posthaste::{Destination, Message, Relay};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("posthaste-tour-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let file = folder.join("orders.db");
//! // The journal lives beside your own tables.
//! let store = Sqlite::open(&file, Options::default())?;
//! store.migrate().await?;
//!
//! // Your own connection, your own transaction: the order and its event, both or neither.
//! let mut db = sqlite::connect(&file, &Options::default())?;
//! let tx = db.transaction()?;
//! tx.execute("CREATE TABLE orders (id INTEGER)", [])?;
//! tx.execute("INSERT INTO orders (id) VALUES (42)", [])?;
//! let event = Message::builder("order.created", "order", "42").json(&"{}").build()?;
//! Outbox::new().enqueue(&tx, &[event])?;
//! tx.commit()?;
//!
//! // A relay, in this process or in any other one that has the file.
//! let (arrived, mut arrivals) = tokio::sync::mpsc::channel(1);
//! let mail = handler_fn("mail", move |_context, message| {
//!     let arrived = arrived.clone();
//!     async move {
//!         let _ = arrived.send(message.event_type.clone()).await;
//!         Ok(())
//!     }
//! });
//! let handlers = Handlers::builder().on("order.*", mail).build()?;
//! let relay = Relay::builder(Arc::new(store)).destination(Destination::new("mail"), Arc::new(handlers)).build();
//! relay
//!     .run(async {
//!         assert_eq!(arrivals.recv().await.as_deref(), Some("order.created"));
//!     })
//!     .await?;
//! # drop(db);
//! # std::fs::remove_dir_all(folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! # The map
//!
//! Dependencies point one way: vocabulary ← rules ← ports ← engine and adapters ← relay ← your program.
//!
//! | modules | what they are |
//! |---|---|
//! | [`message`], [`destination`], [`retry`], [`error`], [`secret`] | the vocabulary |
//! | [`rules`] | pure decisions that engine, stores and operators share |
//! | [`store`] = [`journal`] + [`inspect`]; [`sink`]; [`source`] | the ports: what a store, a sink and a source must do |
//! | `engine` (private) | the state machine: leases, lanes, order, retries; no clock, no I/O, no randomness |
//! | [`relay`] | the engine in a tokio runtime, with telemetry |
//! | [`stores`], [`sinks`], [`sources`] | the adapters, one feature each |
//! | `expression` | jq expressions for filters and transformations |
//! | [`domain`] | aggregates, domain events, units of work, typed handlers, inbox |
//! | `testkit` | an outbox in memory for the tests of an application |
//! | `conformance` | the suites that every store and every sink must pass, for adapters elsewhere |
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `sqlite`, `postgres`, `mysql`, `mongodb`, `memory` | a store: the journal in that database, and writing to it |
//! | `rusqlite`, `sqlx-sqlite`, `tokio-postgres`, `sqlx-postgres`, `mysql_async`, `sqlx-mysql` | writing only, in a transaction of that driver, for applications whose relay runs elsewhere |
//! | `stdout`, `handlers`, `redis`, `rabbitmq`, `kafka`, `nats`, `webhook`, `email`, `sms`, `slack`, `bullmq` | a sink |
//! | `kurrentdb` | a source |
//! | `jq` | expressions: filters and transformations of destinations |
//! | `derive` | `#[derive(DomainEvent)]` |
//! | `testkit`, `conformance` | see the map |
//! | `simulator` | for the tests of this repository only |
//!
//! `sqlite`, `stdout`, `handlers` and `derive` are on by default.

#![deny(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

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
#[cfg(feature = "jq")]
pub mod expression;
pub mod inspect;
pub mod journal;
pub mod message;
pub mod notify;
pub mod relay;
pub mod retry;
pub mod rules;
pub mod secret;
#[cfg(feature = "simulator")]
#[doc(hidden)]
pub mod simulator;
pub mod sink;
pub mod sinks;
pub mod source;
pub mod sources;
pub mod store;
pub mod stores;
#[cfg(feature = "testkit")]
pub mod testkit;

pub use destination::Destination;
pub use error::{Error, Result};
pub use message::Message;
pub use relay::Relay;
pub use secret::Secret;
