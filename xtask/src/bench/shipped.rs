//! The program as it is shipped: built for release, started with a config, asked nothing but what it delivers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::database::signal;
use super::record::{field, kilobytes};
use crate::step::{cargo, execute, quietly};

mod config;
mod lines;
mod redis;

pub use self::config::Destinations;
pub use self::lines::Lines;
pub use self::redis::Redis;

/// Longer than any measurement takes: whatever takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(1_800);

/// The program, and where its configs go.
#[derive(Debug)]
pub struct Shipped {
    program: PathBuf,
    folder: PathBuf,
}

impl Shipped {
    /// The given one, or else one that is built now, with the adapters that are measured.
    pub fn find(program: Option<&Path>, folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder)?;
        if program.is_none() {
            execute(&mut cargo(
                "build --release --quiet --package posthaste-cli --features postgres,redis --bin posthaste",
            ))?;
        }
        let program = program.unwrap_or(Path::new("target/release/posthaste"));
        let program = fs::canonicalize(program).with_context(|| format!("no program at {}", program.display()))?;
        Ok(Self { program, folder: fs::canonicalize(folder)? })
    }

    /// Creates the journal.
    pub fn migrate(&self, url: &str) -> Result<()> {
        quietly(self.command(url, &Destinations::stdout(1))?.arg("migrate"))
    }

    /// Starts a relay.
    pub fn run(&self, url: &str, destinations: &Destinations) -> Result<Relay> {
        let begun = Instant::now();
        let mut process = self.command(url, destinations)?.arg("run").stdout(Stdio::piped()).spawn()?;
        let output = process.stdout.take().context("a pipe")?;
        Ok(Relay { process, begun, lines: Lines::read(output) })
    }

    fn command(&self, url: &str, destinations: &Destinations) -> Result<Command> {
        let config = self.folder.join("posthaste.toml");
        // A relay that was started before may be reading it.
        let half = self.folder.join("posthaste.toml.half");
        fs::write(&half, destinations.config(url))?;
        fs::rename(&half, &config)?;
        let mut command = Command::new(&self.program);
        command.arg("--config").arg(config).stdin(Stdio::null());
        Ok(command)
    }
}

/// A relay that runs until it is stopped or dropped.
#[derive(Debug)]
pub struct Relay {
    process: Child,
    begun: Instant,
    lines: Lines,
}

impl Relay {
    /// Waits until so many lines came out of it since its start; how long after its start that was.
    pub fn until_lines(&mut self, lines: usize) -> Result<Duration> {
        self.until(|relay| relay.lines.at(lines))
    }

    /// Waits until something is so, which is looked at every few milliseconds; how long after its start that was.
    pub fn until(&mut self, mut reached: impl FnMut(&mut Self) -> Option<Instant>) -> Result<Duration> {
        let begun = Instant::now();
        loop {
            if let Some(at) = reached(self) {
                return Ok(at.duration_since(self.begun));
            }
            if let Some(status) = self.process.try_wait()? {
                bail!("the relay ended too early: {status}");
            }
            if begun.elapsed() > PATIENCE {
                bail!("after {} lines nothing happens any more", self.lines.count());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// The most memory that it has had, in megabytes.
    pub fn peak_memory_mb(&self) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let peak = field(&status, "VmHWM").and_then(|said| kilobytes(&said)).context("Linux says no peak")?;
        Ok((peak / 102.4).round() / 10.0)
    }

    /// In good order: what was delivered is recorded.
    pub fn stop(mut self) -> Result<()> {
        signal("TERM", self.process.id())?;
        let status = self.process.wait()?;
        if !status.success() {
            bail!("the relay did not stop in good order: {status}");
        }
        Ok(())
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        // Usually it has ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
