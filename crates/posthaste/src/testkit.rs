//! Suites, simulator and fault tools for whoever writes an adapter.

pub mod simulator;
pub mod store_suite;
