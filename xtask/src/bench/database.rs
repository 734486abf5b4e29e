//! A PostgreSQL server as users run it, and what it spends: processor time of all its processes, and bytes of its log.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::services::{Server, install};
use crate::step::{quietly, shown};

/// Durable, with room to work, and a log that can be read by change data capture; everything else as it comes, autovacuum too.
pub const SETTINGS: &[&str] =
    &["fsync=on", "synchronous_commit=on", "shared_buffers=1GB", "max_wal_size=4GB", "wal_level=logical"];

/// How Linux counts processor time, on every machine.
const TICKS_PER_SECOND: f64 = 100.0;

/// The server of a run.
pub struct Postgres {
    server: Server,
}

/// What a server has spent, from its start or between two moments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spent {
    pub cpu_seconds: f64,
    pub wal_bytes: f64,
}

impl Postgres {
    pub fn start() -> Result<Self> {
        let options: Vec<&str> = SETTINGS.iter().flat_map(|setting| ["-c", setting]).collect();
        Ok(Self { server: Server::start("postgres", &options)? })
    }

    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@{}/{database}", self.server.address())
    }

    /// A database with nothing in it.
    pub fn create(&self, database: &str) -> Result<String> {
        self.ask("postgres", &format!("CREATE DATABASE \"{database}\""))?;
        Ok(self.url(database))
    }

    /// Removes it, with the slots of its log. That ends with a checkpoint: whoever comes next begins with a quiet disk.
    pub fn remove(&self, database: &str) -> Result<()> {
        let slots = format!(
            "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = '{database}' AND active;
             SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = '{database}'"
        );
        self.ask("postgres", &slots)?;
        self.ask("postgres", &format!("DROP DATABASE \"{database}\" WITH (FORCE)")).map(drop)
    }

    pub fn version(&self) -> Result<String> {
        self.ask("postgres", "SHOW server_version")
    }

    /// What a statement answers, as text.
    pub fn ask(&self, database: &str, sql: &str) -> Result<String> {
        let psql = install::find("psql").context("psql is missing: install postgresql-client")?;
        let mut command = Command::new(psql);
        command.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", &self.url(database), "-c", sql]);
        let output = command.output()?;
        if !output.status.success() {
            bail!("{}: {}", shown(&command), String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    pub fn spent(&self) -> Result<Spent> {
        let wal = self.ask("postgres", "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")?;
        Ok(Spent { cpu_seconds: cpu_seconds(self.server.pid()?)?, wal_bytes: wal.parse()? })
    }

    /// What the server spends on some work.
    pub fn spent_on<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<(T, Spent)> {
        let before = self.spent()?;
        let done = work()?;
        let after = self.spent()?;
        let cpu_seconds = after.cpu_seconds - before.cpu_seconds;
        Ok((done, Spent { cpu_seconds, wal_bytes: after.wal_bytes - before.wal_bytes }))
    }
}

/// A process, those of its children that have ended, and those that run.
fn cpu_seconds(pid: u32) -> Result<f64> {
    let own = Stat::of(Path::new("/proc").join(pid.to_string()).as_path()).context("the server is gone")?;
    let mut ticks = own.ticks + own.ticks_of_ended_children;
    for process in fs::read_dir("/proc")?.flatten() {
        // One that ends just now is counted with its parent.
        if let Some(stat) = Stat::of(&process.path()).filter(|stat| stat.parent == pid) {
            ticks += stat.ticks;
        }
    }
    Ok(ticks as f64 / TICKS_PER_SECOND)
}

/// What Linux says of a process.
#[derive(Debug, PartialEq)]
struct Stat {
    parent: u32,
    ticks: u64,
    ticks_of_ended_children: u64,
}

impl Stat {
    fn of(process: &Path) -> Option<Self> {
        Self::parse(&fs::read_to_string(process.join("stat")).ok()?)
    }

    /// The name, in brackets, may hold anything.
    fn parse(stat: &str) -> Option<Self> {
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |nth: usize| fields.get(nth)?.parse::<u64>().ok();
        Some(Self {
            parent: fields.get(1)?.parse().ok()?,
            ticks: ticks(11)? + ticks(12)?,
            ticks_of_ended_children: ticks(13)? + ticks(14)?,
        })
    }
}

/// Sends a signal to a process that was started here.
pub fn signal(signal: &str, pid: u32) -> Result<()> {
    quietly(Command::new("kill").args(["-s", signal, &pid.to_string()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_read_behind_a_name_with_brackets() {
        let stat = "42 (postgres: a) b) S 7 42 42 0 -1 4194560 1 2 3 4 100 20 30 4 20 0 1 0 99 1000 10";
        assert_eq!(Stat::parse(stat), Some(Stat { parent: 7, ticks: 120, ticks_of_ended_children: 34 }));
        assert_eq!(Stat::parse("42 (postgres"), None);
    }

    #[test]
    fn this_process_has_used_some_time() {
        let busy = std::hint::black_box((0..3_000_000_u64).fold(0, |sum, n| sum ^ n));
        assert!(cpu_seconds(std::process::id()).unwrap() >= 0.0, "{busy}");
        assert!(cpu_seconds(u32::MAX).is_err());
    }
}
