//! Suites, simulator and fault tools for whoever writes an adapter.

pub mod fault_proxy;
pub mod simulator;
pub mod sink_suite;
pub mod store_suite;
pub mod waiting;
