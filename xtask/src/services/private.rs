//! Servers of single tests, which kill and restart them, and of benchmarks. `tests/it/servers.rs` starts them by
//! `cargo xtask services serve`.
//!
//! Each works in `target/services/.private/OWNER-…`, where `OWNER` is the process id of the test.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use super::catalog::{Node, Service, remove};
use super::patience::wait_for_answer;
use super::{instance, ports};

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

/// A server with nothing in it, for as long as this lives.
#[derive(Debug)]
pub struct Server {
    service: &'static Service,
    folder: PathBuf,
    address: SocketAddr,
    process: Child,
}

impl Server {
    pub fn start(name: &str, options: &[&str]) -> Result<Self> {
        let service = Service::named(name)?;
        super::obtain(&[service])?;
        let folder = Path::new(FOLDER).join(format!("{}-{name}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let address = ports::addresses(1)?[0];
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["services", "serve", name, "--address", &address.to_string(), "--folder"]).arg(folder.join("0"));
        let log = File::create(folder.join("log"))?;
        command.arg("--").args(options).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let mut process = command.spawn().with_context(|| format!("cannot start {name}"))?;
        wait_for_answer(service, &[address], std::slice::from_mut(&mut process))?;
        Ok(Self { service, folder: fs::canonicalize(folder)?, address, process })
    }

    pub fn address(&self) -> String {
        self.address.to_string()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // What is left is swept the next time.
        let _ = Command::new("kill").args(["-s", self.service.stop_signal, &self.process.id().to_string()]).status();
        let _ = self.process.wait();
        let _ = remove(&self.folder);
    }
}

/// Ends the servers whose tests were killed before they could, and removes their data.
pub fn sweep() -> Result<()> {
    for entry in fs::read_dir(FOLDER).into_iter().flatten() {
        let folder = fs::canonicalize(entry?.path())?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let owner = name.split('-').next().unwrap_or_default();
        if !Path::new("/proc").join(owner).exists() {
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
