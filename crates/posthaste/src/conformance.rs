//! For whoever writes an adapter: the suites that every store and every sink must pass, and a proxy that breaks connections.

pub mod fault_proxy;
pub mod sink_suite;
pub mod store_suite;
