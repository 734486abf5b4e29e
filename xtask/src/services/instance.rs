//! One running server. What is known about it stands in its folder: `address` (one for each node, with commas between), `pid`,
//! `program`, `log`, and the data of its nodes in `data`; `temporary`, if it stops with the last run that uses it.
//!
//! Tests and people find the server by `target/services/NAME/address`. The ports are kept for the next start if they are still
//! free then. If not, it starts with new ports and no data: what it kept may well name the old ones.

use std::fs::{self, File};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use super::catalog::{Node, Service, remove};
use super::patience::{PATIENCE, until, wait_for_answer};
use super::ports;

/// Stands in the folder of a server that stops with the last run that uses it.
const TEMPORARY: &str = "temporary";

#[derive(Debug)]
pub struct Instance {
    service: &'static Service,
    /// Those that still run.
    pids: Vec<u32>,
    addresses: Vec<SocketAddr>,
}

impl Instance {
    /// The one that was started before, if any of it still runs.
    pub fn running(service: &'static Service) -> Option<Self> {
        let folder = folder(service.name);
        let pids = fs::read_to_string(folder.join("pid")).ok()?;
        let pids: Vec<_> = pids.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
        let pids: Vec<_> = pids.into_iter().filter(|pid| is_ours(*pid, &folder)).collect();
        let addresses = kept_addresses(&folder)?;
        (!pids.is_empty()).then_some(Self { service, pids, addresses })
    }

    /// Starts a server and waits until it answers.
    pub fn start(service: &'static Service) -> Result<Self> {
        let folder = folder(service.name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let folder = fs::canonicalize(folder)?;
        let program = (service.find)().with_context(|| format!("{} is not installed", service.name))?;
        let addresses = free_addresses(&folder, service.nodes)?;
        let nodes = addresses.iter().enumerate().map(|(n, address)| Node {
            program: program.clone(),
            folder: folder.join("data").join(n.to_string()),
            address: *address,
        });
        remove_file(&folder.join("log"))?;
        let mut children = nodes.map(|node| spawn(node.command(service)?, &folder)).collect::<Result<Vec<_>>>()?;
        let pids: Vec<_> = children.iter().map(Child::id).collect();
        fs::write(folder.join("pid"), joined(&pids, "\n"))?;
        fs::write(folder.join("address"), joined(&addresses, ","))?;
        fs::write(folder.join("program"), program.to_string_lossy().as_bytes())?;
        wait_for_answer(service, &addresses, &mut children)
            .with_context(|| format!("the end of {}:\n{}", folder.join("log").display(), end_of_log(&folder)))?;
        Ok(Self { service, pids, addresses })
    }

    /// As tests find them: host and port, with a comma between nodes.
    pub fn address(&self) -> String {
        joined(&self.addresses, ",")
    }

    pub fn answers(&self) -> bool {
        self.pids.len() == self.service.nodes && (self.service.answers)(&self.addresses).is_ok()
    }

    /// Asks the server to go, and makes it go if it does not.
    pub fn stop(&self) -> Result<()> {
        let folder = folder(self.service.name);
        stop(&self.pids, &folder, self.service.stop_signal).with_context(|| format!("{} stays", self.service.name))?;
        remove_file(&folder.join("pid"))
    }
}

/// Takes note of whether a server stays for good, or only while a run uses it.
pub fn stays(service: &Service, for_good: bool) -> Result<()> {
    let folder = folder(service.name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    match for_good {
        true => remove_file(&folder.join(TEMPORARY)),
        false => Ok(fs::write(folder.join(TEMPORARY), "")?),
    }
}

/// Whether a server only stays while a run uses it.
pub fn is_temporary(service: &Service) -> bool {
    folder(service.name).join(TEMPORARY).is_file()
}

/// Sends a signal to processes that work in a folder, and kills those that are still there after a while.
pub fn stop(pids: &[u32], folder: &Path, signal: &str) -> Result<()> {
    for signal in [signal, "KILL"] {
        let left = pids.iter().filter(|pid| is_ours(**pid, folder)).map(u32::to_string);
        // A server that has gone meanwhile is what we want.
        let _ = Command::new("kill").args(["-s", signal]).args(left).stderr(Stdio::null()).status();
        if until(PATIENCE / 4, || !pids.iter().any(|pid| is_ours(*pid, folder))) {
            return Ok(());
        }
    }
    bail!("processes {pids:?} do not stop");
}

fn folder(name: &str) -> PathBuf {
    Path::new("target/services").join(name)
}

/// In a process group of its own, so that an interrupted test run does not take the server with it.
fn spawn(mut command: Command, folder: &Path) -> Result<Child> {
    let log = File::options().create(true).append(true).open(folder.join("log"))?;
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).process_group(0);
    command.spawn().with_context(|| format!("cannot start {}", command.get_program().display()))
}

fn end_of_log(folder: &Path) -> String {
    let log = fs::read(folder.join("log")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let last: Vec<_> = log.lines().rev().take(10).collect();
    last.into_iter().rev().collect::<Vec<_>>().join("\n")
}

/// Nobody else is to get the ports that a server had the last time, since it wants them again.
pub fn keep_ports_back(service: &Service) {
    for address in kept_addresses(&folder(service.name)).into_iter().flatten() {
        ports::keep_back(address.port());
    }
}

fn kept_addresses(folder: &Path) -> Option<Vec<SocketAddr>> {
    let kept = fs::read_to_string(folder.join("address")).ok()?;
    kept.trim().split(',').map(|address| address.parse().ok()).collect()
}

/// The addresses of the last time if they are free, others if not.
fn free_addresses(folder: &Path, count: usize) -> Result<Vec<SocketAddr>> {
    let kept = kept_addresses(folder).filter(|kept| kept.len() == count);
    if let Some(kept) = kept.filter(|kept| kept.iter().all(|address| TcpListener::bind(address).is_ok())) {
        return Ok(kept);
    }
    remove(&folder.join("data"))?;
    ports::addresses(count)
}

/// Whether this process works in this folder, and is not another one that got its number since.
fn is_ours(pid: u32, folder: &Path) -> bool {
    let works_in = fs::read_link(format!("/proc/{pid}/cwd"));
    works_in.is_ok_and(|path| fs::canonicalize(folder).is_ok_and(|folder| path.starts_with(folder)))
}

fn joined(parts: &[impl ToString], between: &str) -> String {
    parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
