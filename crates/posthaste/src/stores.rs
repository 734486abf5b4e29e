//! Where journals live. Each store implements [`Store`](crate::store::Store), and lets an application write in its own
//! transaction with an `Outbox`.
//!
//! All stores have the same files: one for each verb of the ports (`lease.rs`, `read.rs`, `commit.rs`, …), called as
//! `lease::lease(…)`; the ports themselves (`journal.rs`, `inspect.rs`, `store.rs`), which only pass on; `outbox.rs` for
//! applications; and, where the store speaks SQL, its statements under `sql/`, by the same names. The rules that they share are in
//! [`crate::rules`]; the modules beside them here hold what is the same for several databases and is no rule.

#[cfg(feature = "memory")]
pub mod memory;
#[cfg(feature = "mongodb")]
pub mod mongodb;
#[cfg(feature = "mysql")]
pub mod mysql;
/// For applications that only write.
#[cfg(all(not(feature = "mysql"), any(feature = "mysql_async", feature = "sqlx-mysql")))]
#[path = "stores/mysql/writer.rs"]
pub mod mysql;
#[cfg(feature = "postgres")]
pub mod postgres;
/// For applications that only write.
#[cfg(all(not(feature = "postgres"), any(feature = "tokio-postgres", feature = "sqlx-postgres")))]
#[path = "stores/postgres/writer.rs"]
pub mod postgres;
#[cfg(feature = "sqlite")]
pub mod sqlite;
/// For applications that only write.
#[cfg(all(not(feature = "sqlite"), any(feature = "rusqlite", feature = "sqlx-sqlite")))]
#[path = "stores/sqlite/writer.rs"]
pub mod sqlite;

#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
mod access;
#[cfg(any(feature = "mysql", feature = "sqlite"))]
mod done;
#[cfg(any(
    feature = "mysql_async",
    feature = "sqlx-mysql",
    feature = "tokio-postgres",
    feature = "sqlx-postgres",
    feature = "rusqlite",
    feature = "sqlx-sqlite"
))]
mod headers;
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
mod marked;
#[cfg(any(feature = "mysql", feature = "postgres"))]
mod question;
#[cfg(any(feature = "mongodb", feature = "mysql", feature = "postgres"))]
mod silence;
// An application that only writes needs a part of it.
#[cfg(any(feature = "mysql", feature = "postgres", feature = "rusqlite", feature = "sqlx-sqlite"))]
#[cfg_attr(not(any(feature = "mysql", feature = "postgres", feature = "sqlite")), allow(dead_code))]
mod statement;
#[cfg(any(
    feature = "memory",
    feature = "mongodb",
    feature = "mysql_async",
    feature = "sqlx-mysql",
    feature = "tokio-postgres",
    feature = "sqlx-postgres",
    feature = "rusqlite",
    feature = "sqlx-sqlite"
))]
mod telemetry;
// Each store uses a part of these; with all stores, all of them are used.
#[cfg(any(
    feature = "mongodb",
    feature = "mysql",
    feature = "postgres",
    feature = "rusqlite",
    feature = "sqlx-sqlite"
))]
#[cfg_attr(
    not(all(feature = "mongodb", feature = "mysql", feature = "postgres", feature = "sqlite")),
    allow(dead_code)
)]
pub(crate) mod values;
#[cfg(any(
    feature = "mongodb",
    feature = "mysql",
    feature = "postgres",
    feature = "rusqlite",
    feature = "sqlx-sqlite"
))]
mod version;
