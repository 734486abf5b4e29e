//! Which sources the program can open: a visible list, no magic. One arm per source.

use std::fmt;
use std::sync::Arc;

use posthaste::sink::settings;
use posthaste::source::Source;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::config::{Problem, fit};

/// The `type` of a source. Every source that Posthaste knows is here, built in or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Kurrentdb,
    Table,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

impl Kind {
    /// Whether this program can open it; if not, what to do about that.
    pub fn available(self) -> Result<(), String> {
        let built_in = match self {
            Self::Kurrentdb => cfg!(feature = "kurrentdb"),
            Self::Table => cfg!(feature = "table"),
        };
        if built_in { Ok(()) } else { Err(crate::store::built_without(&self.to_string())) }
    }
}

/// A source as the config wants it: its type, and the table of that name.
#[derive(Clone, PartialEq)]
pub struct Planned {
    pub kind: Kind,
    /// May hold secrets.
    pub settings: Value,
}

impl fmt::Debug for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planned").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Planned {
    /// The source itself; nothing if [`Planned::open_or_note`] said so.
    pub fn open(&self) -> Option<Arc<dyn Source>> {
        self.open_or_note("", &mut Vec::new())
    }

    /// Opens the source, or notes what is wrong with the settings, which are to be found at the key `under`. No source connects before it
    /// is read.
    #[cfg_attr(
        not(any(feature = "kurrentdb", feature = "table")),
        expect(unused_variables, reason = "no source is built in")
    )]
    pub fn open_or_note(&self, under: &str, problems: &mut Vec<Problem>) -> Option<Arc<dyn Source>> {
        match self.kind {
            #[cfg(feature = "kurrentdb")]
            Kind::Kurrentdb => self.open_as(posthaste::sources::kurrentdb::KurrentDb::new, under, problems),
            #[cfg(not(feature = "kurrentdb"))]
            Kind::Kurrentdb => None,
            #[cfg(feature = "table")]
            Kind::Table => self.open_as(posthaste::sources::table::Table::new, under, problems),
            #[cfg(not(feature = "table"))]
            Kind::Table => None,
        }
    }

    #[cfg_attr(not(any(feature = "kurrentdb", feature = "table")), expect(dead_code, reason = "no source is built in"))]
    fn open_as<T, S>(
        &self,
        new: impl FnOnce(T) -> Result<S, settings::Problem>,
        under: &str,
        problems: &mut Vec<Problem>,
    ) -> Option<Arc<dyn Source>>
    where
        T: DeserializeOwned,
        S: Source + 'static,
    {
        let noted = problems.len();
        let settings = fit(self.settings.clone(), under, problems).filter(|_| problems.len() == noted)?;
        match new(settings) {
            Ok(source) => Some(Arc::new(source)),
            Err(problem) => {
                problems.push(Problem::new(format!("{under}.{}", problem.setting), problem.text));
                None
            }
        }
    }
}
