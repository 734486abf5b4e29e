//! Where the journal lives.

use std::fmt;
use std::path::{Path, PathBuf};

use posthaste::journal::PARTITIONS;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::fit::fit;
use super::parse;
use super::problem::Problem;
use super::resolve::at_least_one;
use crate::store::Kind;

#[derive(Debug, Clone, PartialEq)]
pub struct StorePlan {
    pub kind: Kind,
    /// For stores that are a file.
    pub path: PathBuf,
    /// For stores that are a server.
    pub url: Url,
    /// What only this kind of store has.
    pub settings: Settings,
    /// For the migration that creates the journal.
    pub partitions: u16,
}

impl StorePlan {
    /// A new journal in a file.
    pub fn file(kind: Kind, path: PathBuf) -> Self {
        Self { kind, path, url: Url::default(), settings: Settings::default(), partitions: PARTITIONS }
    }

    /// The store as a person knows it, without user and password.
    pub fn place(&self) -> String {
        match self.kind.url_example() {
            None => self.path.display().to_string(),
            Some(_) => self.url.place(),
        }
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
pub struct Settings(Value);

impl Default for Settings {
    fn default() -> Self {
        Self(Value::Object(Map::new()))
    }
}

impl Settings {
    /// What the table says, which is to be found at the key `under`, or nothing and what does not fit.
    #[cfg_attr(
        not(any(feature = "postgres", feature = "mongodb")),
        expect(dead_code, reason = "only stores that are servers have settings of their own")
    )]
    pub fn parse<T: DeserializeOwned>(&self, under: &str, problems: &mut Vec<Problem>) -> Option<T> {
        fit(self.0.clone(), under, problems)
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{…}")
    }
}

pub(super) fn resolve(written: parse::Store, folder: &Path, problems: &mut Vec<Problem>) -> StorePlan {
    let kind = written.r#type.unwrap_or_default();
    if let Err(says) = kind.available() {
        problems.push(Problem::new("store.type", says));
    }
    let path = written.path.unwrap_or_else(|| "posthaste.db".into());
    if path.as_os_str().is_empty() {
        problems.push(Problem::new("store.path", "is empty: name the database file"));
    }
    let partitions = written.partitions.unwrap_or(PARTITIONS);
    at_least_one("store.partitions", partitions.into(), problems);
    let name = kind.name();
    let mut table = None;
    for (other, written) in [("postgres", written.postgres), ("mongodb", written.mongodb)] {
        if other == name {
            table = written;
        } else if written.is_some() {
            let says =
                format!("belongs to type = \"{other}\", but the store's is \"{name}\": change it, or remove these");
            problems.push(Problem::new(format!("store.{other}"), says));
        }
    }
    let settings = table.map(Settings).unwrap_or_default();
    kind.check(&settings, &format!("store.{name}"), problems);
    StorePlan { kind, path: folder.join(path), url: url(kind, written.url, problems), settings, partitions }
}

fn url(kind: Kind, written: Option<String>, problems: &mut Vec<Problem>) -> Url {
    let url = written.unwrap_or_default();
    match kind.url_example() {
        Some(example) if url.is_empty() => {
            let says = format!("is missing: say where the server is, such as \"{example}\"");
            problems.push(Problem::new("store.url", says));
        }
        // Whoever forgot the type would have an empty file delivered, and be told that all is well.
        None if !url.is_empty() => {
            let says = format!(
                "is of a server, but the store's type is \"{}\", a file: set `store.type`, such as \"postgres\", or remove this",
                kind.name()
            );
            problems.push(Problem::new("store.url", says));
        }
        _ => {}
    }
    Url(url)
}
