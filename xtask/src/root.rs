//! Where the repository and this program are, and what the manifests say.

use std::path::Path;

use anyhow::{Context, Result, bail};
use toml::{Table, Value};

/// Goes to the root of the repository, so that all paths start there.
pub fn enter() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask stands in the repository")?;
    std::env::set_current_dir(root).with_context(|| format!("cannot enter {}", root.display()))
}

/// This program, to start it again. Cargo may replace its file while it runs: the link leads to it nevertheless.
pub const THIS_PROGRAM: &str = "/proc/self/exe";

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

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Set in the process that removes its own file.
    const REMOVE: &str = "REMOVE_THIS_PROGRAM";

    /// A step of CI that ran `cargo test` had replaced the program, and the next step could start no server.
    #[test]
    fn the_program_can_be_started_after_its_file_is_gone() {
        if std::env::var_os(REMOVE).is_some() {
            std::fs::remove_file(std::env::current_exe().unwrap()).unwrap();
            assert!(Command::new(THIS_PROGRAM).arg("--list").env_remove(REMOVE).output().unwrap().status.success());
            return;
        }
        // A link, for a file that was just written may still be open in the child of another test, and cannot be run.
        let program = std::env::current_exe().unwrap();
        let link = program.with_extension(std::process::id().to_string());
        std::fs::hard_link(&program, &link).unwrap();
        let test = "root::tests::the_program_can_be_started_after_its_file_is_gone";
        let child = Command::new(&link).args(["--exact", test]).env(REMOVE, "yes").output().unwrap();
        assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
        assert!(!link.exists());
    }
}
