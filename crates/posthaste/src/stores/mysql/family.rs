//! What differs between the servers of the family.

use std::sync::OnceLock;

use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use super::MySql;
use crate::error::{Error, Kind, Result};

/// Which server it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    MySql,
    MariaDb,
}

/// The family as it was found first.
#[derive(Debug, Default)]
pub(super) struct Known(OnceLock<Family>);

impl Family {
    /// By what the server calls itself, if it is new enough and keeps the promises that the sequencer relies on.
    pub(super) fn of(version: &str, comment: &str) -> Result<Self> {
        let refused = |text: String| Err(Error::new(Kind::Invalid, text));
        if let Some(name) = ["TiDB", "Dolt"].into_iter().find(|name| version.contains(name) || comment.contains(name)) {
            return refused(format!(
                "{name} does not number rows in the order of their inserts, or locks no rows: use MySQL or MariaDB"
            ));
        }
        let (family, oldest) =
            if version.contains("MariaDB") { (Self::MariaDb, (10, 6, 0)) } else { (Self::MySql, (8, 0, 19)) };
        if numbers(version) < oldest {
            return refused(format!("the server is {version}: use MySQL 8.0.19 or newer, or MariaDB 10.6 or newer"));
        }
        Ok(family)
    }

    /// A collation in which texts are equal only if all their bytes are, blanks at the end included.
    pub(super) fn collation(self) -> &'static str {
        match self {
            Self::MySql => "utf8mb4_0900_bin",
            Self::MariaDb => "utf8mb4_nopad_bin",
        }
    }

    /// What names the server among those that could take over from it. The nodes of a Galera cluster share one name.
    pub(super) fn server(self) -> &'static str {
        match self {
            Self::MySql => "@@server_uuid",
            Self::MariaDb => "IF(@@wsrep_on, @@wsrep_cluster_name, CONCAT('server ', @@server_id))",
        }
    }
}

/// The first three numbers of a version.
fn numbers(version: &str) -> (u32, u32, u32) {
    let mut numbers = version.split(['.', '-']).map(|number| number.parse().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    (next(), next(), next())
}

/// The family of the server, which is asked once.
pub(super) async fn family(store: &MySql, connection: &mut Conn) -> Result<Family> {
    let Known(known) = &store.shared.family;
    if let Some(family) = known.get() {
        return Ok(*family);
    }
    let named: Option<(String, String)> = connection.query_first("SELECT VERSION(), @@version_comment").await?;
    let (version, comment) = named.unwrap_or_default();
    let family = Family::of(&version, &comment)?;
    Ok(*known.get_or_init(|| family))
}

/// A statement, with what names the server where it has `{server}`.
pub(super) async fn with_server(store: &MySql, connection: &mut Conn, sql: &str) -> Result<String> {
    Ok(sql.replace("{server}", family(store, connection).await?.server()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_known_by_its_version_and_an_old_one_is_refused() {
        let family = |version| Family::of(version, "(Debian)").ok();
        assert_eq!(family("9.7.4-2"), Some(Family::MySql));
        assert_eq!(family("8.0.19"), Some(Family::MySql));
        assert_eq!(family("8.0.18"), None);
        assert_eq!(family("10.11.19-MariaDB-0+deb12u1-log"), Some(Family::MariaDb));
        assert_eq!(family("10.5.29-MariaDB"), None);
        assert_eq!(family("8.0.11-TiDB-v8.5.4"), None);
        assert!(Family::of("8.0.33", "Dolt").is_err());
    }
}
