//! The mutants: what cargo-mutants would change, one at a time.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::tool;

/// One change to one file.
#[derive(Debug, Clone, Deserialize)]
pub struct Mutant {
    /// The file, the place and what is changed: unlike that of any other.
    pub name: String,
    pub file: String,
    pub span: Span,
    pub replacement: String,
    pub genre: Genre,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
pub enum Genre {
    /// The body of a function becomes a value.
    FnValue,
    BinaryOperator,
    UnaryOperator,
    /// An arm of a match is gone.
    MatchArm,
    /// The condition of an arm becomes true or false.
    MatchArmGuard,
    /// A field of a struct literal comes from its base instead.
    StructField,
}

/// What is replaced.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Span {
    pub start: Place,
}

/// Both start at one; columns are characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

impl Mutant {
    /// The folder of the library that it is in: `engine`, `rules` or `message`.
    pub fn folder(&self) -> &str {
        let below = self.file.rsplit_once("/src/").map_or(self.file.as_str(), |(_, below)| below);
        below.split(['/', '.']).next().unwrap_or_default()
    }
}

/// All of them, in the order of the files. `.cargo/mutants.toml` says in which files, and what is left out.
pub fn list() -> Result<Vec<Mutant>> {
    let mut command = Command::new(tool::program()?);
    let output = command
        .args(["mutants", "--list", "--json", "--package", "posthaste"])
        .output()
        .context("cannot start cargo-mutants")?;
    if !output.status.success() {
        bail!("cargo mutants --list: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    serde_json::from_slice(&output.stdout).context("cargo-mutants lists its mutants as JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_belongs_to_a_folder_of_the_library() {
        let place = Place { line: 1, column: 1 };
        let of = |file: &str| {
            let (name, replacement) = (String::new(), String::new());
            let mutant =
                Mutant { name, file: file.into(), span: Span { start: place }, replacement, genre: Genre::FnValue };
            mutant.folder().to_owned()
        };
        assert_eq!(of("crates/posthaste/src/engine/lane/serve.rs"), "engine");
        assert_eq!(of("crates/posthaste/src/message.rs"), "message");
    }
}
