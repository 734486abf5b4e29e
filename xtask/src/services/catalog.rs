//! Every service there is. To add one, add a file and a row; the name is the same as the adapter's feature.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::{
    emulate, kafka, mailpit, mariadb, mongodb, mysql, nats, pgbouncer, postgres, prism, rabbitmq, redis, smtp_sink,
    tidb, valkey,
};

pub const CATALOG: &[Service] = &[
    redis::SERVICE,
    valkey::SERVICE,
    postgres::SERVICE,
    postgres::SERVICE_13,
    postgres::SERVICE_14,
    postgres::SERVICE_16,
    postgres::SERVICE_17,
    postgres::SERVICE_18,
    pgbouncer::SERVICE,
    mariadb::SERVICE,
    mysql::SERVICE,
    tidb::SERVICE,
    mongodb::SERVICE,
    mongodb::SERVICE_OF_THREE,
    rabbitmq::SERVICE,
    nats::SERVICE,
    kafka::SERVICE,
    mailpit::SERVICE,
    smtp_sink::SERVICE,
    emulate::TWILIO,
    emulate::SLACK,
    prism::SERVICE,
];

/// How to have a server of one kind.
#[derive(Debug)]
pub struct Service {
    pub name: &'static str,
    /// Whether `cargo xtask test` starts it.
    pub tests_need_it: bool,
    /// How many processes make one server.
    pub nodes: usize,
    /// Programs that must be there to have it, each with the Debian package that has it.
    pub needs: &'static [(&'static str, &'static str)],
    /// Its program, or the folder of its programs, if it is there.
    pub find: fn() -> Option<PathBuf>,
    /// Makes it be found, if the packages alone do not.
    pub fetch: fn() -> Result<()>,
    /// Makes its data, once, in the empty folder of a node.
    pub prepare: fn(&Node) -> Result<()>,
    /// What to execute so that a node serves its address, in the foreground, with all its data in its folder.
    pub command: fn(&Node) -> Result<Command>,
    /// Makes one server of nodes that do not answer yet. Harmless when it was done before.
    pub join: fn(&[SocketAddr]) -> Result<()>,
    /// Whether it answers in its own protocol, not merely listens.
    pub answers: fn(&[SocketAddr]) -> Result<()>,
    /// The signal at which it goes in good order, without waiting for its clients.
    pub stop_signal: &'static str,
}

impl Service {
    /// What most of them have in common.
    pub const PLAIN: Self = Self {
        name: "",
        tests_need_it: true,
        nodes: 1,
        needs: &[],
        find: || None,
        fetch: || Ok(()),
        prepare: |_| Ok(()),
        command: |_| anyhow::bail!("no command"),
        join: |_| Ok(()),
        answers: |_| Ok(()),
        stop_signal: "TERM",
    };

    pub fn named(name: &str) -> Result<&'static Self> {
        let known = || CATALOG.iter().map(|service| service.name).collect::<Vec<_>>();
        let found = CATALOG.iter().find(|service| service.name == name);
        found.with_context(|| format!("no such service: {name}; there are {}", known().join(", ")))
    }
}

/// One process of a server.
#[derive(Debug)]
pub struct Node {
    pub program: PathBuf,
    pub folder: PathBuf,
    pub address: SocketAddr,
}

impl Node {
    /// Stands in the folder of a node whose data is complete.
    const PREPARED: &str = "prepared";

    /// What to execute. Its data is there afterwards: half of it, from an interrupted start, is thrown away.
    pub fn command(&self, service: &Service) -> Result<Command> {
        if !self.folder.join(Self::PREPARED).is_file() {
            remove(&self.folder)?;
            fs::create_dir_all(&self.folder).with_context(|| format!("cannot create {}", self.folder.display()))?;
            (service.prepare)(self)?;
            fs::write(self.folder.join(Self::PREPARED), "")?;
        }
        let mut command = (service.command)(self)?;
        command.current_dir(&self.folder);
        Ok(command)
    }
}

/// Removes a folder with all it holds, if it is there.
pub fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}
