//! Servers of single tests, which kill and restart them: `tests/it/servers.rs` starts them by `cargo xtask services serve`.
//!
//! Each works in `target/services/.private/TEST-…`, where `TEST` is the process id of the test.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::catalog::{Node, Service, remove};
use super::instance;

const FOLDER: &str = "target/services/.private";

/// Becomes one node of a server: this process then is the server, so that a test can signal it.
pub fn serve(service: &Service, folder: PathBuf, address: SocketAddr, options: &[String]) -> Result<()> {
    let program =
        (service.find)().with_context(|| format!("{0} is not installed: cargo xtask services up {0}", service.name))?;
    let folder = std::path::absolute(folder)?;
    let mut command = Node { program, folder, address }.command(service)?;
    let error = command.args(options).exec();
    Err(error).with_context(|| format!("cannot become {}", command.get_program().display()))
}

/// Ends the servers whose tests were killed before they could, and removes their data.
pub fn sweep() -> Result<()> {
    for entry in fs::read_dir(FOLDER).into_iter().flatten() {
        let folder = fs::canonicalize(entry?.path())?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let test = name.split('-').next().unwrap_or_default();
        if !Path::new("/proc").join(test).exists() {
            instance::stop(&working_in(&folder), &folder, "KILL")?;
            remove(&folder)?;
        }
    }
    Ok(())
}

fn working_in(folder: &Path) -> Vec<u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let works_there =
        |process: &fs::DirEntry| fs::read_link(process.path().join("cwd")).is_ok_and(|path| path.starts_with(folder));
    processes.filter(works_there).filter_map(|process| process.file_name().to_str()?.parse().ok()).collect()
}
