//! cargo-mutants, in a version of our own choice: another one has other mutants.

use std::path::PathBuf;

use anyhow::Result;

use crate::services::cache;
use crate::step::{cargo, quietly};

pub const VERSION: &str = "27.1.0";

/// The program, built the first time that it is needed.
pub fn program() -> Result<PathBuf> {
    let name = format!("cargo-mutants-{VERSION}");
    cache::make(&name, |folder| {
        println!("building {name}");
        quietly(cargo("install --locked --quiet cargo-mutants --version").args([VERSION, "--root"]).arg(folder))
    })?;
    Ok(cache::folder(&name)?.join("bin/cargo-mutants"))
}
