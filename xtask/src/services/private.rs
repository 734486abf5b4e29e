//! Servers of single tests, which kill and restart them, and of benchmarks. `tests/it/servers.rs` starts them by
//! `cargo xtask services serve`.
//!
//! Each works in `target/services/.private/OWNER-…`, where `OWNER` is the process id of the test.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};

use super::catalog::{Node, Service, remove};
use super::patience::wait_for_answer;
use super::postgres::PRIMARY;
use super::{instance, ports};
use crate::root::THIS_PROGRAM;

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

/// A server with nothing in it, for as long as this lives. What has no number concerns all of its nodes.
#[derive(Debug)]
pub struct Server {
    service: &'static Service,
    folder: PathBuf,
    nodes: Vec<Process>,
    /// Where its data and its logs go in the end, if anywhere.
    kept_in: Option<PathBuf>,
}

/// One node of a server.
#[derive(Debug)]
struct Process {
    folder: PathBuf,
    address: SocketAddr,
    options: Vec<String>,
    /// Where the primary is, of a PostgreSQL server that is a standby.
    primary: Option<SocketAddr>,
    child: Option<Child>,
}

impl Server {
    /// Starts it and waits until it answers.
    pub fn start(name: &str, options: &[&str]) -> Result<Self> {
        Self::start_as(name, options, None)
    }

    /// A PostgreSQL server that begins with a copy of what another one has, and follows that one.
    pub fn start_standby(name: &str, options: &[&str], primary: SocketAddr) -> Result<Self> {
        Self::start_as(name, options, Some(primary))
    }

    fn start_as(name: &str, options: &[&str], primary: Option<SocketAddr>) -> Result<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let service = Service::named(name)?;
        super::obtain(&[service])?;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = Path::new(FOLDER).join(format!("{}-{name}-{count}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let folder = fs::canonicalize(folder)?;
        let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        let node = |(n, address): (usize, SocketAddr)| Process {
            folder: folder.join(n.to_string()),
            address,
            options: options.clone(),
            primary,
            child: None,
        };
        let nodes = ports::addresses(service.nodes)?.into_iter().enumerate().map(node).collect();
        let mut server = Self { service, folder, nodes, kept_in: None };
        server.start_again()?;
        Ok(server)
    }

    /// Whatever it leaves goes to this folder in the end.
    pub fn kept_in(mut self, folder: PathBuf) -> Self {
        self.kept_in = Some(folder);
        self
    }

    /// `host:port`, with commas between nodes.
    pub fn address(&self) -> String {
        self.nodes.iter().map(|node| node.address.to_string()).collect::<Vec<_>>().join(",")
    }

    /// Of its first node, which most have alone.
    pub fn socket_address(&self) -> SocketAddr {
        self.nodes[0].address
    }

    pub fn socket_addresses(&self) -> Vec<SocketAddr> {
        self.nodes.iter().map(|node| node.address).collect()
    }

    /// `kill -9`, and waits until it is gone.
    pub fn kill(&mut self) -> Result<()> {
        self.nodes.iter_mut().try_for_each(|node| node.end("KILL"))
    }

    pub fn kill_node(&mut self, nth: usize) -> Result<()> {
        self.nodes[nth].end("KILL")
    }

    /// Starts what does not run, with the same data at the same addresses, and does not wait for it.
    pub fn begin_again(&mut self) -> Result<()> {
        let service = self.service;
        self.nodes.iter_mut().try_for_each(|node| node.start(service))
    }

    pub fn answers(&self) -> bool {
        (self.service.answers)(&self.socket_addresses()).is_ok()
    }

    /// Starts what does not run, and returns when the server answers.
    pub fn start_again(&mut self) -> Result<()> {
        self.begin_again()?;
        let (service, addresses) = (self.service, self.socket_addresses());
        wait_for_answer(service, &addresses, self.nodes.iter_mut().filter_map(|node| node.child.as_mut()))
    }

    /// After a kill: forgets its data, begins with a copy of another server's, and follows that one.
    pub fn follow(&mut self, primary: SocketAddr) -> Result<()> {
        for node in &mut self.nodes {
            remove(&node.folder)?;
            node.primary = Some(primary);
        }
        self.start_again()
    }

    /// The data of a node.
    pub fn folder(&self, nth: usize) -> &Path {
        &self.nodes[nth].folder
    }

    /// The process of its first node, which all others of that node are children of.
    pub fn pid(&self) -> Result<u32> {
        self.nodes[0].child.as_ref().map(Child::id).context("the server does not run")
    }

    /// The program of its service.
    pub fn program(&self) -> Result<PathBuf> {
        (self.service.find)().with_context(|| format!("{} is not installed", self.service.name))
    }
}

impl Process {
    fn start(&mut self, service: &Service) -> Result<()> {
        if self.is_running() {
            return Ok(());
        }
        let mut command = Command::new(THIS_PROGRAM);
        let address = self.address.to_string();
        command.args(["services", "serve", service.name, "--address", &address, "--folder"]).arg(&self.folder);
        command.envs(self.primary.map(|primary| (PRIMARY, primary.to_string())));
        let log = File::options().create(true).append(true).open(self.folder.with_extension("log"))?;
        command.arg("--").args(&self.options).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        self.child = Some(command.spawn().with_context(|| format!("cannot start {}", service.name))?);
        Ok(())
    }

    fn is_running(&mut self) -> bool {
        self.child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)))
    }

    /// Ends it by this signal, and waits until it and its helpers are gone: PostgreSQL has one for each client, and does not start
    /// again beside them.
    fn end(&mut self, signal: &str) -> Result<()> {
        let Some(mut child) = self.child.take() else { return Ok(()) };
        let stopped = instance::stop(&working_in(&self.folder), &self.folder, signal);
        // One that still prepares its data works elsewhere.
        let _ = child.kill();
        child.wait()?;
        stopped
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // What is left is swept the next time.
        let signal = self.service.stop_signal;
        self.nodes.iter_mut().for_each(|node| drop(node.end(signal)));
        if let Some(kept_in) = &self.kept_in {
            let name = self.folder.file_name().unwrap_or_default();
            let _ = fs::create_dir_all(kept_in).and_then(|()| fs::rename(&self.folder, kept_in.join(name)));
        }
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
