//! Finding programs, and getting those that are missing.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::step::execute;

/// The first of these programs that is there.
pub fn find(programs: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Debian keeps servers where the path of ordinary users does not lead.
    let folders: Vec<_> = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]).collect();
    let candidates = |program: &&str| folders.iter().map(|folder| folder.join(program)).collect::<Vec<_>>();
    programs.iter().flat_map(candidates).find(|path| path.is_file())
}

/// Installs Debian packages, after an update of the package lists if they turn out to be too old.
pub fn apt(packages: &[&str]) -> Result<()> {
    let install = || execute(apt_get(&["install", "--yes", "--no-install-recommends"]).args(packages));
    install()
        .or_else(|_| execute(&mut apt_get(&["update"])).and_then(|()| install()))
        .with_context(|| format!("install {} by hand, or use `docker compose up`", packages.join(" ")))
}

fn apt_get(arguments: &[&str]) -> Command {
    // A process owns its entry there.
    let root = std::fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0);
    let mut command = if root { Command::new("apt-get") } else { Command::new("sudo") };
    if !root {
        command.arg("apt-get");
    }
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    command
}
