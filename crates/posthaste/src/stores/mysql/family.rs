//! What differs between the servers of the family.

use super::MySql;
use crate::error::{Error, Kind, Result};

/// Which server it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    MySql,
    MariaDb,
    TiDb,
}

impl Family {
    /// By what the server calls itself, if it is new enough and keeps the promises that the sequencer relies on.
    pub(super) fn of(version: &str, comment: &str) -> Result<Self> {
        let refused = |text: String| Err(Error::new(Kind::Invalid, text));
        if version.contains("Dolt") || comment.contains("Dolt") {
            return refused("Dolt locks no rows: use MySQL, MariaDB or TiDB".to_owned());
        }
        // TiDB names the MySQL that it is like, and then itself.
        let (family, number, oldest) = match version.split_once("-TiDB-") {
            Some((_, number)) => (Self::TiDb, number.trim_start_matches('v'), (8, 5, 0)),
            None if version.contains("MariaDB") => (Self::MariaDb, version, (10, 6, 0)),
            None => (Self::MySql, version, (8, 0, 19)),
        };
        if numbers(number) < oldest {
            let text = "use MySQL 8.0.19 or newer, MariaDB 10.6 or newer, or TiDB 8.5 or newer";
            return refused(format!("the server is {version}: {text}"));
        }
        Ok(family)
    }

    /// A collation in which texts are equal only if all their bytes are, blanks at the end included.
    pub(super) fn collation(self) -> &'static str {
        match self {
            Self::MySql | Self::TiDb => "utf8mb4_0900_bin",
            Self::MariaDb => "utf8mb4_nopad_bin",
        }
    }

    /// What names the server among those that could take over from it. The nodes of a Galera cluster share one name, and so do those of
    /// TiDB, which loses no commit when one of them dies.
    pub(super) fn server(self) -> &'static str {
        match self {
            Self::MySql => "@@server_uuid",
            Self::MariaDb => "IF(@@wsrep_on, @@wsrep_cluster_name, CONCAT('server ', @@server_id))",
            Self::TiDb => "'TiDB'",
        }
    }

    /// Whether a session can see what nobody has committed yet.
    pub(super) fn shows_uncommitted(self) -> bool {
        self != Self::TiDb
    }

    /// A statement without what is for another server: that stands between `/*[TiDB]*/` or `/*[not TiDB]*/` and `/*[end]*/`.
    pub(super) fn variant(self, sql: &str) -> String {
        let (other, own) = match self {
            Self::TiDb => ("/*[not TiDB]*/", "/*[TiDB]*/"),
            Self::MySql | Self::MariaDb => ("/*[TiDB]*/", "/*[not TiDB]*/"),
        };
        let mut parts = sql.split(other);
        let mut kept = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            kept += part.split_once(END).map_or("", |(_, rest)| rest);
        }
        kept.replace(own, "").replace(END, "")
    }
}

/// Where what is for one server ends.
const END: &str = "/*[end]*/";

/// The first three numbers of a version.
fn numbers(version: &str) -> (u32, u32, u32) {
    let mut numbers = version.split(['.', '-']).map(|number| number.parse().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    (next(), next(), next())
}

/// A statement, with what names the server where it has `{server}`.
pub(super) async fn with_server(store: &MySql, sql: &str) -> Result<String> {
    Ok(sql.replace("{server}", store.family().await?.server()))
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
        assert_eq!(family("8.0.11-TiDB-v8.5.4"), Some(Family::TiDb));
        assert_eq!(family("8.0.11-TiDB-v7.5.2"), None);
        assert!(Family::of("8.0.33", "Dolt").is_err());
    }

    #[test]
    fn a_statement_has_only_what_is_for_its_server() {
        let sql = "a /*[not TiDB]*/b/*[end]*//*[TiDB]*/c/*[end]*/ d/*[TiDB]*/ e/*[end]*/";
        assert_eq!(Family::MySql.variant(sql), "a b d");
        assert_eq!(Family::TiDb.variant(sql), "a c d e");
    }
}
