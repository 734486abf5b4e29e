//! The store suite on every store.

#[cfg(any(feature = "mysql", feature = "postgres"))]
mod clients;
#[cfg(any(feature = "mongodb", feature = "mysql", feature = "postgres"))]
mod ledger;
pub(crate) mod memory;
#[cfg(feature = "mongodb")]
pub(crate) mod mongodb;
#[cfg(feature = "mysql")]
pub(crate) mod mysql;
#[cfg(feature = "mysql")]
mod mysql_faults;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
#[cfg(feature = "postgres")]
mod postgres_faults;
mod releases;
pub(crate) mod sqlite;
#[cfg(feature = "mysql")]
mod work;
#[cfg(any(feature = "mongodb", feature = "mysql", feature = "postgres"))]
mod worker;
