//! A relay of a scene: the program, as users run it, or an application with a relay in its own process.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Result, bail};
use serde_json::json;

use super::Programs;
use super::config::{HANDLERS, LEASE};
use super::process::{Process, log_of};
use super::stores::Store;
use super::words::Words;

/// What a graceful stop may take: its own limit and a busy machine.
const STOP: Duration = Duration::from_secs(30);

/// What a relay has to do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Bytes of a file, as if the disk were full.
    File(u64),
    /// Memory in kB, beyond what it has.
    Memory(u64),
    None,
}

#[derive(Debug)]
pub struct Relay {
    pub name: String,
    program: PathBuf,
    arguments: Vec<OsString>,
    folder: PathBuf,
    /// The library that lies about the time.
    clock: Option<PathBuf>,
    process: Option<Process>,
    /// Told to stop, and perhaps not gone yet.
    stopping: Option<Process>,
    /// The most memory that it ever had, in kB.
    pub peak_kb: u64,
    /// Lives that ended by themselves.
    pub unasked_ends: u64,
    /// What it said of itself.
    pub words: Words,
}

impl Relay {
    /// The program, with a config.
    pub fn program(nth: usize, programs: &Programs, config: &Path, folder: &Path) -> Self {
        let arguments = vec!["run".into(), "--config".into(), config.into()];
        Self::new(nth, programs.posthaste.clone(), arguments, programs.clock.clone(), folder)
    }

    /// An application that handles messages itself.
    pub fn handlers(nth: usize, programs: &Programs, store: &Store, folder: &Path) -> Self {
        let lease_ms = LEASE.as_millis() as u64;
        let role = json!({
            "role": "handlers", "store": store.described(), "destination": HANDLERS, "lease_ms": lease_ms,
        });
        let arguments = vec![role.to_string().into()];
        Self::new(nth, programs.instruments.clone(), arguments, programs.clock.clone(), folder)
    }

    fn new(nth: usize, program: PathBuf, arguments: Vec<OsString>, clock: Option<PathBuf>, folder: &Path) -> Self {
        let (name, folder) = (format!("relay-{nth}"), folder.to_owned());
        let words = Words::of(&name, log_of(&folder, &name));
        let (process, stopping, peak_kb, unasked_ends) = (None, None, 0, 0);
        Self { name, program, arguments, folder, clock, process, stopping, peak_kb, unasked_ends, words }
    }

    /// A new life, after the one before has ended. One that was told to stop while its store was away may need a kill.
    pub fn start(&mut self) -> Result<()> {
        if let Some(mut stopping) = self.stopping.take() {
            let _ = stopping.ends_within(STOP);
        }
        self.process = Some(Process::spawn(&self.name, &mut self.command(), &self.folder)?);
        Ok(())
    }

    /// It does not outlive the run, a write beyond a limit is an error and not the end, and its clock may be wrong.
    fn command(&self) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "env", "--ignore-signal=XFSZ"]);
        if let Some(library) = &self.clock {
            command.arg(format!("LD_PRELOAD={}", library.display()));
            command.arg(format!("FAKETIME_TIMESTAMP_FILE={}", self.clock_file().display()));
            command.args(["FAKETIME_CACHE_DURATION=1", "FAKETIME_DONT_FAKE_MONOTONIC=1", "NO_FAKE_STAT=1"]);
        }
        command.arg(&self.program).args(&self.arguments);
        command
    }

    fn clock_file(&self) -> PathBuf {
        self.folder.join(format!("{}.clock", self.name))
    }

    /// Its clock is off by so much from now on, such as `+3600` seconds.
    pub fn set_clock(&self, off: &str) -> Result<()> {
        Ok(fs::write(self.clock_file(), off)?)
    }

    /// From now on it can write no file beyond this length, or have no more memory than this beyond what it has.
    pub fn limit(&self, limit: Limit) {
        let Some(process) = &self.process else { return };
        let most = match limit {
            Limit::File(bytes) => format!("--fsize={bytes}:"),
            Limit::Memory(more_kb) => format!("--as={}:", (figure(process.id(), "VmSize:") + more_kb) * 1_024),
            Limit::None => "--fsize=unlimited:".into(),
        };
        let mut command = Command::new("prlimit");
        command.args(["--pid", &process.id().to_string(), &most]).stderr(Stdio::null());
        if limit == Limit::None {
            command.arg("--as=unlimited:");
        }
        // One that has ended meanwhile has no limits.
        let _ = command.status();
    }

    pub fn is_running(&mut self) -> bool {
        self.process.as_mut().is_some_and(Process::is_running)
    }

    /// One that gave up by itself is started again, as a supervisor would, and counted.
    pub fn keep_up(&mut self) -> Result<()> {
        if self.process.is_some() && !self.is_running() {
            self.unasked_ends += 1;
            self.start()?;
        }
        self.measure();
        self.words.listen();
        Ok(())
    }

    pub fn kill(&mut self) -> Result<()> {
        self.measure();
        self.process.take().map_or(Ok(()), |mut process| process.kill())
    }

    pub fn signal(&self, signal: &str) {
        if let Some(process) = &self.process {
            process.signal(signal);
        }
    }

    /// Tells it to stop, and does not wait for it.
    pub fn begin_stop(&mut self) {
        self.measure();
        self.signal("TERM");
        self.stopping = self.process.take();
    }

    /// A graceful stop when nothing is wrong: it has to end well.
    pub fn stop(&mut self) -> Result<()> {
        self.measure();
        let Some(mut process) = self.process.take() else { return Ok(()) };
        process.signal("CONT");
        process.signal("TERM");
        let status = process.ends_within(STOP)?;
        if !status.success() {
            bail!("{} was told to stop and ended with {status}", self.name);
        }
        Ok(())
    }

    fn measure(&mut self) {
        let Some(process) = &self.process else { return };
        self.peak_kb = self.peak_kb.max(figure(process.id(), "VmHWM:"));
    }
}

/// What the system says about a process, in kB.
fn figure(process: u32, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let text = status.lines().find_map(|line| line.strip_prefix(name));
    text.and_then(|text| text.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
