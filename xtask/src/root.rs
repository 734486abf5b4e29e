//! Where the repository is, and what its manifests say.

use std::path::Path;

use anyhow::{Context, Result, bail};
use toml::{Table, Value};

/// Goes to the root of the repository, so that all paths start there.
pub fn enter() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask stands in the repository")?;
    std::env::set_current_dir(root).with_context(|| format!("cannot enter {}", root.display()))
}

/// The features of the library, without `default`.
pub fn features() -> Result<Vec<String>> {
    let features = table("crates/posthaste/Cargo.toml", &["features"])?;
    Ok(features.into_iter().map(|(name, _)| name).filter(|name| name != "default").collect())
}

/// What the workspace takes from others.
pub fn dependencies() -> Result<Vec<String>> {
    let dependencies = table("Cargo.toml", &["workspace", "dependencies"])?;
    Ok(dependencies.into_iter().filter(|(_, what)| what.get("path").is_none()).map(|(name, _)| name).collect())
}

/// A table of a manifest.
fn table(path: &str, names: &[&str]) -> Result<Table> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
    let mut table: Table = text.parse().with_context(|| format!("cannot parse {path}"))?;
    for name in names {
        table = match table.remove(*name) {
            Some(Value::Table(inner)) => inner,
            _ => bail!("{path} has no table `{name}`"),
        };
    }
    Ok(table)
}
