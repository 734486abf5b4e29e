//! For the tests of applications: an [`outbox`] in memory. For whoever writes an adapter: suites, simulator and fault tools.

pub mod fault_proxy;
pub mod outbox;
pub mod simulator;
pub mod sink_suite;
pub mod store_suite;
pub mod waiting;
