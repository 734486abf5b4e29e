//! Foreign logs that can be read into the journal, each behind the feature of its name.

#[cfg(feature = "kurrentdb")]
#[cfg_attr(docsrs, doc(cfg(feature = "kurrentdb")))]
pub mod kurrentdb;
#[cfg(feature = "table")]
#[cfg_attr(docsrs, doc(cfg(feature = "table")))]
pub mod table;
