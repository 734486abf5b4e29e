//! A server of one test, which may do to it what it likes.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry, File};
use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{folder, remedy};

/// A server with data and ports of its own, which are the same after each restart. It is gone when this is dropped.
///
/// A set of several nodes is told apart by their numbers. What has no number concerns all of them.
#[derive(Debug)]
pub(crate) struct Private {
    name: &'static str,
    folder: PathBuf,
    nodes: Vec<Node>,
}

#[derive(Debug)]
struct Node {
    folder: PathBuf,
    address: String,
    options: Vec<String>,
    /// Where the primary is, of a PostgreSQL server that is a standby, or of a pooler.
    primary: Option<String>,
    process: Option<Child>,
}

impl Private {
    /// Starts a server of this name (`mongodb3` has three nodes) and waits until it answers.
    pub(crate) async fn start(name: &'static str) -> Self {
        Self::start_with(name, &[]).await
    }

    /// With more options for the server itself.
    pub(crate) async fn start_with(name: &'static str, options: &[&str]) -> Self {
        Self::start_as(name, options, None).await
    }

    /// A pooler in front of a PostgreSQL server.
    pub(crate) async fn start_before(name: &'static str, server: &str) -> Self {
        Self::start_as(name, &[], Some(server.to_owned())).await
    }

    async fn start_as(name: &'static str, options: &[&str], primary: Option<String>) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = folder().join(".private").join(format!("{}-{name}-{count}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let node = |n: usize| Node {
            folder: folder.join(n.to_string()),
            address: free_address().to_string(),
            options: options.iter().map(ToString::to_string).collect(),
            primary: primary.clone(),
            process: None,
        };
        let nodes = (0..if name == "mongodb3" { 3 } else { 1 }).map(node).collect();
        let mut server = Self { name, folder, nodes };
        server.restart().await;
        server
    }

    /// Where it is: `host:port`, with commas between nodes.
    pub(crate) fn address(&self) -> String {
        self.nodes.iter().map(|node| node.address.as_str()).collect::<Vec<_>>().join(",")
    }

    /// Where one of its nodes is.
    pub(crate) fn node(&self, n: usize) -> &str {
        &self.nodes[n].address
    }

    /// Starts what does not run, with its data and on its ports, and waits until the server answers.
    pub(crate) async fn restart(&mut self) {
        for node in &mut self.nodes {
            node.start(self.name);
        }
        self.wait_until_it_answers().await;
    }

    /// Starts one node, and does not wait.
    pub(crate) fn restart_node(&mut self, n: usize) {
        self.nodes[n].start(self.name);
    }

    /// Waits until it answers in its own protocol. A replica set does when it has a primary.
    pub(crate) async fn wait_until_it_answers(&self) {
        let mut command = program(self.name);
        command.args(["services", "await", self.name, &self.address()]);
        let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
        let log = || fs::read_to_string(self.nodes[0].folder.with_extension("log")).unwrap_or_default();
        assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), log());
    }

    /// Ends it by SIGKILL, as a crash would.
    pub(crate) fn kill(&mut self) {
        self.nodes.iter_mut().for_each(|node| node.end("KILL"));
    }

    pub(crate) fn kill_node(&mut self, n: usize) {
        self.nodes[n].end("KILL");
    }

    /// Begins anew with a copy of what another PostgreSQL server has, and follows that one.
    pub(crate) async fn follow(&mut self, primary: &str) {
        self.kill();
        for node in &mut self.nodes {
            let _ = fs::remove_dir_all(&node.folder);
            node.primary = Some(primary.to_owned());
        }
        self.restart().await;
    }

    /// Asks it to end, by a signal such as `TERM`, and waits until it has.
    pub(crate) fn end(&mut self, signal: &str) {
        self.nodes.iter_mut().for_each(|node| node.end(signal));
    }

    /// SIGSTOP: it is there, and does nothing.
    pub(crate) fn freeze(&self) {
        self.nodes.iter().for_each(|node| node.signal("STOP"));
    }

    /// SIGCONT.
    pub(crate) fn thaw(&self) {
        self.nodes.iter().for_each(|node| node.signal("CONT"));
    }

    /// The process of a node, for signals of its own.
    pub(crate) fn process(&self, n: usize) -> u32 {
        self.nodes[n].process.as_ref().expect("it runs").id()
    }

    /// The data of a node, for tests that meddle with it.
    pub(crate) fn folder(&self, n: usize) -> &PathBuf {
        &self.nodes[n].folder
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        self.kill();
        // A helper of the server may still be writing. What is left is swept at the next `services up`.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Node {
    fn start(&mut self, name: &str) {
        if self.process.as_mut().is_some_and(|process| matches!(process.try_wait(), Ok(None))) {
            return;
        }
        let log = File::options().create(true).append(true).open(self.folder.with_extension("log")).unwrap();
        let mut command = program(name);
        command.args(["services", "serve", name, "--address", &self.address, "--folder"]).arg(&self.folder);
        command.arg("--").args(&self.options).stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        command.envs(self.primary.iter().map(|primary| ("POSTHASTE_PRIMARY", primary)));
        self.process = Some(command.spawn().unwrap());
    }

    /// To the server itself, or to its helpers as well: PostgreSQL serves each client by a process of its own.
    fn signal(&self, signal: &str) {
        let process = self.process.as_ref().expect("it runs").id().to_string();
        let all = if matches!(signal, "KILL" | "STOP" | "CONT") { self.processes() } else { Vec::new() };
        // A helper may be gone meanwhile. The server itself is not: nobody has waited for it yet.
        let helpers = all.iter().filter(|helper| **helper != process);
        let _ = Command::new("kill").args(["-s", signal, &process]).args(helpers).stderr(Stdio::null()).status();
    }

    fn end(&mut self, signal: &str) {
        if self.process.as_mut().is_some_and(|process| matches!(process.try_wait(), Ok(None))) {
            self.signal(signal);
        }
        if let Some(mut process) = self.process.take() {
            process.wait().unwrap();
        }
        while !self.processes().is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Those that work in its folder.
    fn processes(&self) -> Vec<String> {
        let Ok(folder) = fs::canonicalize(&self.folder) else { return Vec::new() };
        let works_there =
            |process: &DirEntry| fs::read_link(process.path().join("cwd")).is_ok_and(|path| path.starts_with(&folder));
        let processes = fs::read_dir("/proc").unwrap().flatten().filter(works_there);
        processes.map(|process| process.file_name().to_string_lossy().into_owned()).collect()
    }
}

/// What `services up` left for tests: it knows how to run each server.
fn program(name: &str) -> Command {
    let program = folder().join(".xtask");
    assert!(program.is_file() && folder().join(name).is_dir(), "no {name}: {}", remedy(name));
    Command::new(program)
}

/// An address that nobody else gets: below those that the system gives to connections, so that nobody takes it while the server is down, and
/// given out once.
pub(crate) fn free_address() -> SocketAddr {
    static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let random = |n: u32| 15_000 + (RandomState::new().hash_one(n) % 15_000) as u16;
    let at = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let is_free = |port: &u16| TcpListener::bind(at(*port)).is_ok() && GIVEN.lock().unwrap().insert(*port);
    (0..1000).map(random).find(is_free).map(at).expect("a port is free")
}
