//! What `[store]` means: where the journal lives.

use std::fmt;
use std::path::{Path, PathBuf};

use posthaste::journal::PARTITIONS;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::fit::fit;
use super::parse;
use super::problem::Problem;
use super::resolve::at_least_one;
use crate::store::{Kind, built_without};

#[derive(Debug, Clone, PartialEq)]
pub struct StorePlan {
    pub kind: Kind,
    /// For stores that are a file.
    pub path: PathBuf,
    /// For stores that are a server.
    pub url: Url,
    /// For the migration that creates the journal.
    pub partitions: u16,
    settings: Settings,
}

impl StorePlan {
    /// A new journal in a file, for the demo.
    #[cfg(all(feature = "sqlite", feature = "handlers"))]
    pub fn file(kind: Kind, path: PathBuf) -> Self {
        Self { kind, path, url: Url::default(), settings: Settings::default(), partitions: PARTITIONS }
    }

    /// The store as a person knows it, without user and password.
    pub fn place(&self) -> String {
        if self.url.0.is_empty() { self.path.display().to_string() } else { self.url.place() }
    }

    /// What the store's own table says.
    #[cfg_attr(
        not(any(feature = "postgres", feature = "mysql", feature = "mongodb")),
        expect(dead_code, reason = "only stores that are servers have a table of their own")
    )]
    pub fn options<T: DeserializeOwned>(&self) -> posthaste::Result<T> {
        let mut problems = Vec::new();
        self.check_options(&mut problems).ok_or_else(|| {
            let text = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            posthaste::Error::new(posthaste::error::Kind::Invalid, text)
        })
    }

    /// As [`StorePlan::options`], with a note of everything that is wrong.
    pub fn check_options<T: DeserializeOwned>(&self, problems: &mut Vec<Problem>) -> Option<T> {
        fit(self.settings.0.clone(), &format!("store.{}", self.kind), problems)
    }
}

/// Where a server is. May hold a password, so it is never shown as a whole.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Url(pub String);

impl Url {
    fn place(&self) -> String {
        let Some((scheme, rest)) = self.0.split_once("://") else { return "the database of `store.url`".into() };
        let address = rest.split(['?', '#']).next().unwrap_or_default();
        let address = address.rsplit_once('@').map_or(address, |(_, address)| address);
        format!("{scheme}://{address}")
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place())
    }
}

/// A table that only its store understands. May hold a password, so it is never shown.
#[derive(Clone, PartialEq)]
struct Settings(Value);

impl Default for Settings {
    fn default() -> Self {
        Self(Value::Object(Map::new()))
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{…}")
    }
}

/// Fills in and checks.
pub(super) fn resolve(mut written: parse::Store, folder: &Path, problems: &mut Vec<Problem>) -> StorePlan {
    let kind = written.r#type.unwrap_or_default();
    let settings = own_table(kind, &mut written, problems);
    let path = written.path.unwrap_or_else(|| "posthaste.db".into());
    if path.as_os_str().is_empty() {
        problems.push(Problem::new("store.path", "is empty: name the database file"));
    }
    let partitions = written.partitions.unwrap_or(PARTITIONS);
    at_least_one("store.partitions", partitions.into(), problems);
    let url = Url(written.url.unwrap_or_default());
    let plan = StorePlan { kind, path: folder.join(path), url, settings, partitions };
    match kind.adapter() {
        None => problems.push(Problem::new("store.type", built_without(&kind.to_string()))),
        Some(adapter) => {
            problems.extend(check_url(&plan, adapter.url_example()));
            adapter.check(&plan, problems);
        }
    }
    plan
}

/// The table that is named like the store's type. A table of another type is a problem.
fn own_table(kind: Kind, written: &mut parse::Store, problems: &mut Vec<Problem>) -> Settings {
    let mut own = Settings::default();
    for (other, table) in written.tables() {
        if other == kind {
            own = Settings(table);
        } else {
            let text = format!(
                "belongs to type = \"{other}\", but the store's is \"{kind}\": change it, or remove this table"
            );
            problems.push(Problem::new(format!("store.{other}"), text));
        }
    }
    own
}

/// A store that is a server needs a URL, and one that is a file must not have one: with the type forgotten, the relay would serve an
/// empty file and report that all is well.
fn check_url(plan: &StorePlan, example: Option<&str>) -> Option<Problem> {
    let text = match (example, plan.url.0.is_empty()) {
        (Some(example), true) => format!("is missing: say where the server is, such as \"{example}\""),
        (None, false) => format!(
            "is of a server, but the store's type is \"{}\", a file: set `store.type`, such as \"postgres\", or remove this",
            plan.kind
        ),
        _ => return None,
    };
    Some(Problem::new("store.url", text))
}
