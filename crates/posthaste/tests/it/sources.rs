//! Sources, against the suite and against what befalls them.

mod kurrentdb;
#[cfg(all(feature = "sqlite", feature = "table"))]
mod table;
