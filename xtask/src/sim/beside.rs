//! The simulator beside other work.

use std::fs::{self, File};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use super::{Args, PROGRAM, build};

/// What it says, until somebody asks.
const SAID: &str = "target/sim-said.txt";

/// A simulator that runs while something else does. Ends with this.
#[derive(Debug)]
pub struct Beside(Child);

impl Beside {
    /// Builds and starts it. It takes what others leave of the processors: tests wait for servers most of the time.
    pub fn start(args: &Args) -> Result<Self> {
        build()?;
        let said = File::create(SAID)?;
        let mut command = Command::new("nice");
        command.args(["-n", "19", &format!("target/sim/{PROGRAM}")]).args(args.options());
        command.stdin(Stdio::null()).stdout(said.try_clone()?).stderr(said);
        Ok(Self(command.spawn().context("cannot start the simulator")?))
    }

    /// Waits for its end, and shows what it said.
    pub fn finish(mut self) -> Result<()> {
        let status = self.0.wait()?;
        print!("{}", fs::read_to_string(SAID)?);
        if !status.success() {
            bail!("the simulator: {status}");
        }
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
