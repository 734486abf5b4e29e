//! Servers that a run of tests or benchmarks uses: those that it starts stop at its end, however it ends.
//!
//! A run holds a shared lock of `target/services/.in-use`. A second process waits beside it until the run's end closes its input,
//! which happens also at Ctrl-C and at a kill. If no other run holds the lock then, that process stops every server that some run
//! started. Servers that were started by `cargo xtask services up` stay.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use super::catalog::{CATALOG, Service};
use super::instance::{self, Instance};
use super::{Stay, all_at_once, lock, private, up};
use crate::root::THIS_PROGRAM;

const LOCK: &str = "target/services/.in-use";

/// A run's hold on the servers. Dropped, it stops those that it started, and says which.
#[derive(Debug)]
pub struct InUse {
    lock: Option<File>,
    stopper: Option<Child>,
}

impl InUse {
    /// Starts servers for a run; `keep` leaves them running after it.
    pub fn start(services: &[&'static Service], keep: bool) -> Result<Self> {
        let lock = open_lock()?;
        lock.lock_shared()?;
        let in_use = Self { lock: Some(lock), stopper: if keep { None } else { Some(stopper()?) } };
        up(services, if keep { Stay::ForGood } else { Stay::WhileInUse })?;
        Ok(in_use)
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        drop(self.lock.take());
        match self.stopper.as_mut() {
            Some(stopper) => {
                drop(stopper.stdin.take());
                // It has said by itself what is wrong.
                let _ = stopper.wait();
            }
            None => println!("\nservers keep running; `cargo xtask services down` stops them"),
        }
    }
}

fn open_lock() -> Result<File> {
    fs::create_dir_all("target/services").context("cannot create target/services")?;
    File::create(LOCK).with_context(|| format!("cannot write {LOCK}"))
}

/// In a process group of its own, so that a Ctrl-C ends the run and not what cleans up after it.
fn stopper() -> Result<Child> {
    let mut command = Command::new(THIS_PROGRAM);
    command.args(["services", "stop-after"]).stdin(Stdio::piped()).process_group(0);
    command.spawn().context("cannot start the process that stops the servers")
}

/// Waits for the end of the input, then stops what runs have started, unless another run uses it.
pub fn stop_after_input() -> Result<()> {
    io::copy(&mut io::stdin(), &mut io::sink())?;
    let in_use = open_lock()?;
    let _lock = lock()?;
    private::sweep()?;
    let running = |service: &&'static Service| Instance::running(service).is_some();
    let (temporary, others): (Vec<_>, Vec<_>) =
        CATALOG.iter().filter(running).partition(|service| instance::is_temporary(service));
    if in_use.try_lock().is_err() {
        println!("\nanother run uses the servers: it stops them at its end");
        return Ok(());
    }
    all_at_once(&temporary, |service| Instance::running(service).map_or(Ok(()), |instance| instance.stop()))?;
    say("stopped what was started for this", &temporary);
    say("ran before and goes on (`cargo xtask services down` stops it)", &others);
    Ok(())
}

fn say(what: &str, services: &[&Service]) {
    if !services.is_empty() {
        let names: Vec<_> = services.iter().map(|service| service.name).collect();
        println!("\n{what}: {}", names.join(", "));
    }
}
