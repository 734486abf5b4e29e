//! Servers that no Debian package has: fetched once for all checkouts of a user.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::catalog::remove;

/// The folder of this name in the cache, whether or not it is there.
pub fn folder(name: &str) -> Result<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let caches = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    Ok(caches.context("no HOME to keep servers in")?.join("posthaste").join(name))
}

/// Makes a folder of the cache, unless somebody else just did. It gets its name when it is complete, so that half of a server
/// is never taken for one.
pub fn make(name: &str, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let folder = folder(name)?;
    let half = folder.with_added_extension("half");
    fs::create_dir_all(folder.parent().unwrap_or(&folder))?;
    let lock = File::create(folder.with_added_extension("lock")).context("cannot write to the cache of servers")?;
    lock.lock()?;
    if folder.is_dir() {
        return Ok(());
    }
    remove(&half)?;
    fs::create_dir_all(&half)?;
    fill(&half).with_context(|| format!("cannot fetch {name}; `docker compose up` is another way"))?;
    Ok(fs::rename(&half, &folder)?)
}
