//! For the tests of an adapter: the suites that every store, sink and source must pass, and a proxy that breaks connections.
//!
//! A suite is a list of guarantees, and its macro makes a test of each. An adapter says how to have a fresh one of its kind:
//!
//! ```
//! use std::sync::Arc;
//!
//! use posthaste::conformance::store_suite::{OpenTransaction, StoreUnderTest};
//! use posthaste::store::Store;
//! use posthaste::{Message, Result};
//!
//! /// An empty store in a database that is dropped with it.
//! struct Fresh {
//!     store: Arc<dyn Store>,
//! }
//!
//! #[async_trait::async_trait]
//! impl StoreUnderTest for Fresh {
//!     fn store(&self) -> Arc<dyn Store> {
//!         Arc::clone(&self.store)
//!     }
//!
//!     async fn reopen(&self) -> Result<Arc<dyn Store>> {
//!         unimplemented!("open the same database once more")
//!     }
//!
//!     async fn begin(&self, messages: Vec<Message>) -> Result<Box<dyn OpenTransaction>> {
//!         unimplemented!("begin a transaction as an application does, and write {} messages", messages.len())
//!     }
//! }
//!
//! async fn fresh() -> Fresh {
//!     unimplemented!("make a database and open a store in it")
//! }
//!
//! posthaste::store_suite!(fresh);
//! ```
//!
//! A sink comes with a reader of its destination and with the faults that can befall it:
//!
//! ```
//! use std::sync::Arc;
//!
//! use posthaste::Message;
//! use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
//! use posthaste::conformance::sink_suite::{Arrived, Impossible, SinkUnderTest};
//! use posthaste::sink::Sink;
//!
//! /// A sink that reaches its server through a proxy.
//! struct Fresh {
//!     sink: Arc<dyn Sink>,
//!     proxy: FaultProxy,
//! }
//!
//! #[async_trait::async_trait]
//! impl SinkUnderTest for Fresh {
//!     fn sink(&self) -> Arc<dyn Sink> {
//!         Arc::clone(&self.sink)
//!     }
//!
//!     async fn arrived(&self) -> Vec<Arrived> {
//!         unimplemented!("read what the server has, without the sink")
//!     }
//!
//!     fn secret(&self) -> Result<String, Impossible> {
//!         Err(Impossible("it has no credential"))
//!     }
//!
//!     async fn refuse(&self, message: &mut Message) -> Result<(), Impossible> {
//!         unimplemented!("make the server refuse this one: {message:?}")
//!     }
//!
//!     async fn stop(&self) -> Result<(), Impossible> {
//!         Ok(self.proxy.set(Fault::Refuse).await)
//!     }
//!
//!     async fn start(&self) {
//!         self.proxy.set(Fault::Pass).await;
//!     }
//!
//!     async fn stall(&self) -> Result<(), Impossible> {
//!         Ok(self.proxy.set(Fault::BlackHole).await)
//!     }
//!
//!     async fn resume(&self) {
//!         self.proxy.set(Fault::Pass).await;
//!     }
//! }
//!
//! async fn fresh() -> Fresh {
//!     unimplemented!("make a queue or a topic, a proxy to its server, and a sink that reaches it through the proxy")
//! }
//!
//! posthaste::sink_suite!(fresh);
//! ```
//!
//! `unimplemented!` stands where an adapter has code of its own.

pub mod fault_proxy;
#[cfg(feature = "kurrentdb")]
pub mod kurrentdb;
pub mod sink_suite;
pub mod source_suite;
pub mod store_suite;
