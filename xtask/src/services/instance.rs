//! One running server. What is known about it stands in its folder: `pid`, `address`, `log`, and its data in `data`.
//!
//! Tests and people find the server by `target/services/NAME/address`. The port is free when the server starts, and kept for
//! the next start if it is still free then, so that two checkouts on one machine never meet.

use std::fs::{self, File};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::catalog::Service;

/// How long a server may take to answer, or to go.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct Instance {
    service: &'static Service,
    pid: u32,
    address: SocketAddr,
}

impl Instance {
    /// The one that was started before, if it still runs.
    pub fn running(service: &'static Service) -> Option<Self> {
        let folder = folder(service.name);
        let pid = fs::read_to_string(folder.join("pid")).ok()?.trim().parse().ok()?;
        let address = kept_address(&folder)?;
        is_ours(pid, &folder).then_some(Self { service, pid, address })
    }

    /// Starts a server and waits until it answers.
    pub fn start(service: &'static Service, program: &Path) -> Result<Self> {
        let folder = folder(service.name);
        let data = folder.join("data");
        fs::create_dir_all(&data).with_context(|| format!("cannot create {}", data.display()))?;
        let data = fs::canonicalize(data)?;
        let address = free_address(&folder)?;
        let mut child = spawn((service.command)(program, &data, address), &folder, &data)?;
        fs::write(folder.join("pid"), child.id().to_string())?;
        fs::write(folder.join("address"), address.to_string())?;
        let instance = Self { service, pid: child.id(), address };
        instance.wait_for_answer(&mut child, &folder)?;
        Ok(instance)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn answers(&self) -> bool {
        (self.service.answers)(self.address).is_ok()
    }

    /// Asks the server to go, and makes it go if it does not.
    pub fn stop(&self) -> Result<()> {
        let folder = folder(self.service.name);
        for signal in ["-TERM", "-KILL"] {
            // A server that has gone meanwhile is what we want.
            let _ = Command::new("kill").args([signal, &self.pid.to_string()]).stderr(Stdio::null()).status();
            if until(PATIENCE / 4, || !is_ours(self.pid, &folder)) {
                fs::remove_file(folder.join("pid"))?;
                return Ok(());
            }
        }
        bail!("{} (process {}) does not stop", self.service.name, self.pid);
    }

    fn wait_for_answer(&self, child: &mut Child, folder: &Path) -> Result<()> {
        let mut gone = false;
        let answered = until(PATIENCE, || {
            gone = !matches!(child.try_wait(), Ok(None));
            gone || self.answers()
        });
        if answered && !gone {
            return Ok(());
        }
        let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
        let last: Vec<_> = log.lines().rev().take(10).collect();
        let last = last.into_iter().rev().collect::<Vec<_>>().join("\n");
        let what = if gone { "ended at once" } else { "does not answer" };
        bail!("{} {what}; the end of {}:\n{last}", self.service.name, folder.join("log").display());
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new("target/services").join(name)
}

/// In a process group of its own, so that an interrupted test run does not take the server with it.
fn spawn(mut command: Command, folder: &Path, data: &Path) -> Result<Child> {
    let log = File::create(folder.join("log"))?;
    command.current_dir(data).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).process_group(0);
    command.spawn().with_context(|| format!("cannot start {}", command.get_program().display()))
}

fn kept_address(folder: &Path) -> Option<SocketAddr> {
    fs::read_to_string(folder.join("address")).ok()?.trim().parse().ok()
}

/// The address of the last time if it is free, any other one if not.
fn free_address(folder: &Path) -> Result<SocketAddr> {
    let kept = kept_address(folder).and_then(|address| TcpListener::bind(address).ok());
    let listener = kept.map_or_else(|| TcpListener::bind("127.0.0.1:0"), Ok)?;
    Ok(listener.local_addr()?)
}

/// Whether this process is the server that works in this folder, and not another one that got its number since.
fn is_ours(pid: u32, folder: &Path) -> bool {
    let works_in = fs::read_link(format!("/proc/{pid}/cwd"));
    works_in.is_ok_and(|path| fs::canonicalize(folder).is_ok_and(|folder| path.starts_with(folder)))
}

/// Polls until something is so; `false` if it is not in time.
fn until(patience: Duration, mut so: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while !so() {
        if begun.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}
