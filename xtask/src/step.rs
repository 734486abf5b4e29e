//! One step after another, each announced and timed.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// The cargo that runs this.
pub fn cargo(arguments: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments.split_whitespace());
    command
}

/// Runs a command to its end; anything but success is an error that names it.
pub fn execute(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    let status = command.status().with_context(|| format!("cannot start: {shown}"))?;
    if !status.success() {
        bail!("{shown}: {status}");
    }
    Ok(())
}

/// Runs a command to its end without showing what it says, unless it fails.
pub fn quietly(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start: {shown}"))?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        bail!("{shown}: {}\n{}", output.status, String::from_utf8_lossy(&said).trim());
    }
    Ok(())
}

/// A command as one would type it.
pub fn shown(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or_default();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy());
    [program.into()].into_iter().chain(arguments).collect::<Vec<_>>().join(" ")
}

/// The steps done so far, with their times.
#[derive(Debug, Default)]
pub struct Steps {
    done: Vec<(String, Duration)>,
}

impl Steps {
    /// Announces and times a step. The first one that fails ends it all.
    pub fn step<T>(&mut self, name: impl Into<String>, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let name = name.into();
        println!("\n── {name}");
        let begun = Instant::now();
        let made = work().with_context(|| format!("step `{name}` failed"))?;
        let took = begun.elapsed();
        println!("── {name}: {:.1} s", took.as_secs_f64());
        self.done.push((name, took));
        Ok(made)
    }

    /// All steps and where the time went.
    pub fn summary(&self) {
        println!("\nall steps passed:");
        for (name, took) in &self.done {
            println!("{:>8.1} s  {name}", took.as_secs_f64());
        }
        let total: Duration = self.done.iter().map(|(_, took)| *took).sum();
        println!("{:>8.1} s  in all", total.as_secs_f64());
    }
}
