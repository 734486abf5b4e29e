//! Sources, against the suite and against what befalls them.

mod kurrentdb;
