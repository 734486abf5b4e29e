//! A process of a run: it can be signalled, killed and started again, and ends with the run.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::services::until;

#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    /// Its end is the end of the process, for those that listen to it.
    pub input: Option<ChildStdin>,
}

impl Process {
    /// Starts it; what it says on stderr is appended to `NAME.log` in the folder.
    pub fn spawn(name: &str, command: &mut Command, folder: &Path) -> Result<Self> {
        let log = File::options().create(true).append(true).open(log_of(folder, name))?;
        command.stdin(Stdio::piped()).stderr(log);
        let mut child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        let input = child.stdin.take();
        Ok(Self { name: name.to_owned(), child, input })
    }

    /// Starts an instrument, and waits until it is ready. Answers what it says then, and where it goes on speaking.
    pub fn instrument(name: &str, program: &Path, role: &Value, folder: &Path) -> Result<(Self, impl BufRead + use<>)> {
        let mut command = Command::new(program);
        command.arg(role.to_string()).stdout(Stdio::piped());
        let mut process = Self::spawn(name, &mut command, folder)?;
        let output = process.child.stdout.take().context("its output was asked for")?;
        let mut output = BufReader::new(output);
        let mut line = String::new();
        output.read_line(&mut line)?;
        if !line.starts_with("ready") {
            bail!("{name} did not start: see {}", log_of(folder, name).display());
        }
        Ok((process, output))
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: &str) {
        // One that has ended meanwhile needs no signal.
        let mut kill = Command::new("kill");
        let _ = kill.args(["-s", signal, &self.id().to_string()]).stderr(Stdio::null()).status();
    }

    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills it and waits until it is gone.
    pub fn kill(&mut self) -> Result<()> {
        self.child.kill().with_context(|| format!("cannot kill {}", self.name))?;
        self.child.wait()?;
        Ok(())
    }

    /// Waits until it ends by itself; kills it if it does not.
    pub fn ends_within(&mut self, patience: Duration) -> Result<ExitStatus> {
        if !until(patience, || !self.is_running()) {
            self.kill()?;
            bail!("{} did not end in {patience:?}", self.name);
        }
        Ok(self.child.wait()?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs an instrument to its end, and answers what it said.
pub fn answer(program: &Path, role: &Value) -> Result<String> {
    let output = Command::new(program).arg(role.to_string()).stdin(Stdio::null()).output()?;
    if !output.status.success() {
        bail!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Where a process of this name writes what it says.
pub fn log_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.log"))
}
