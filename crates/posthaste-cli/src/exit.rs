//! The exit codes and their meaning.

use std::process::ExitCode;

use posthaste::error::Kind;

use crate::config;

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done, and all is well.
    Ok = 0,
    /// Answered, and the answer is bad news.
    NotWell = 1,
    /// The command line or the config is wrong.
    Usage = 2,
    /// The store cannot be reached, or refuses access.
    Unavailable = 3,
    /// The store holds no journal of this version.
    Schema = 4,
    /// The store is damaged, or there is a bug.
    Internal = 5,
    /// Told to stop a second time, so that it ended at once. The code that shells give for SIGINT.
    Interrupted = 130,
}

/// The end of every `--help`.
pub const HELP: &str = "\
Exit codes:
    0  done, and all is well
    1  done, and the answer is bad news: `status` or `check` found something that
       needs a person, the message asked for does not exist, `adopt` finds no such table
       or collection or none that it knows, the demo's proof failed
    2  the command line or the config is wrong
    3  the store, or the database that `adopt` looks at, cannot be reached, is busy, or
       refuses access; `run` waits for a store that cannot be reached
    4  the store holds no journal, or one of another version: run `posthaste migrate`
    5  the store is damaged, or there is a bug: please report it
  130  `run` was told to stop twice and did not finish what was in flight";

/// The command line asks for something that makes no sense; says what to write instead.
#[derive(Debug)]
pub struct Misuse(pub String);

impl std::fmt::Display for Misuse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misuse {}

impl Exit {
    /// The code for an error, by the first cause that is known.
    pub fn of(error: &anyhow::Error) -> Self {
        error.chain().find_map(Self::of_cause).unwrap_or(Self::Internal)
    }

    fn of_cause(cause: &(dyn std::error::Error + 'static)) -> Option<Self> {
        if cause.is::<Misuse>() || cause.is::<config::Error>() || cause.is::<posthaste::message::Invalid>() {
            return Some(Self::Usage);
        }
        cause.downcast_ref::<posthaste::Error>().map(|error| match error.kind() {
            Kind::Unavailable | Kind::Denied => Self::Unavailable,
            Kind::Schema => Self::Schema,
            Kind::NotFound => Self::NotWell,
            Kind::Invalid => Self::Usage,
            _ => Self::Internal,
        })
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
