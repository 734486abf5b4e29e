//! Finding programs, and getting those that are missing.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::step::quietly;

/// A program, by its name.
pub fn find(program: &str) -> Option<PathBuf> {
    folders().into_iter().map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Debian keeps servers where the path does not lead, or leads to wrappers for the system's own. So there first.
fn folders() -> Vec<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut postgres: Vec<_> = versions.map(|version| version.path().join("bin")).collect();
    postgres.sort();
    postgres.reverse();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = postgres.into_iter().chain([PathBuf::from("/usr/lib/rabbitmq/bin")]);
    debian.chain(std::env::split_paths(&path)).chain([PathBuf::from("/usr/sbin")]).collect()
}

/// Installs Debian packages, after an update of the package lists if they turn out to be too old.
pub fn apt(packages: &[&str]) -> Result<()> {
    let install = || quietly(apt_get(&["install", "--yes", "--no-install-recommends"]).args(packages));
    install()
        .or_else(|_| update().and_then(|()| install()))
        .with_context(|| format!("install {} by hand, or use `docker compose up`", packages.join(" ")))
}

/// Fetches the package lists anew.
pub fn update() -> Result<()> {
    quietly(&mut apt_get(&["update"]))
}

fn apt_get(arguments: &[&str]) -> Command {
    let mut command = if is_root() { Command::new("apt-get") } else { Command::new("sudo") };
    if !is_root() {
        command.arg("apt-get");
    }
    // Somebody else may be installing just now.
    command.args(["-o", "DPkg::Lock::Timeout=300"]).args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    command
}

pub fn is_root() -> bool {
    // A process owns its entry there.
    fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0)
}
