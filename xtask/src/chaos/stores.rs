//! Where the journal of a scene is: a file, a server, a primary with its standby, or a replica set.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use crate::services::{Server, mongodb, postgres};

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    Sqlite,
    Postgres,
    Mariadb,
    Mongodb,
}

/// Nothing that was committed is lost with a primary, and a standby notices soon that its primary is back.
const REPLICATED: &[&str] = &["-c", "synchronous_standby_names=*", "-c", "wal_retrieve_retry_interval=200ms"];
/// How long a node of MongoDB that stepped down does not lead, in seconds.
const STEPPED_DOWN: i32 = 5;

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::Mariadb => "mariadb",
            Self::Mongodb => "mongodb",
        }
    }

    /// What a scene on it is called whose relays are applications that handle messages themselves.
    pub fn name_with_handlers(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite-handlers",
            Self::Postgres => "postgres-handlers",
            Self::Mariadb => "mariadb-handlers",
            Self::Mongodb => "mongodb-handlers",
        }
    }

    pub fn has_server(self) -> bool {
        self != Self::Sqlite
    }

    /// Whether another server can take over from the one that is written to.
    pub fn can_fail_over(self) -> bool {
        matches!(self, Self::Postgres | Self::Mongodb)
    }
}

#[derive(Debug)]
pub struct Store {
    kind: Kind,
    /// None for SQLite; two for PostgreSQL, of which one follows the other.
    servers: Vec<Server>,
    primary: usize,
    file: PathBuf,
}

impl Store {
    /// It works in this folder, and whatever it leaves is kept there.
    pub fn start(kind: Kind, folder: &Path) -> Result<Self> {
        let servers = match kind {
            Kind::Sqlite => Vec::new(),
            Kind::Postgres => {
                let primary = Server::start("postgres", REPLICATED)?;
                let standby = Server::start_standby("postgres", REPLICATED, primary.socket_address())?;
                vec![primary, standby]
            }
            Kind::Mongodb => vec![Server::start("mongodb3", &[])?],
            Kind::Mariadb => vec![start_mariadb(folder)?],
        };
        let kept = servers.into_iter().map(|server| server.kept_in(folder.join("servers"))).collect();
        Ok(Self { kind, servers: kept, primary: 0, file: folder.join("journal.db") })
    }

    /// What a relay talks to through a link, and where it is. A replica set tells its clients where its nodes are, and so would lead
    /// them past any link.
    pub fn behind_links(&self) -> Vec<(String, SocketAddr)> {
        let servers = if self.kind == Kind::Mongodb { &[] } else { self.servers.as_slice() };
        let name = |nth: usize| if nth == 0 { "store" } else { "standby" };
        servers.iter().enumerate().map(|(nth, server)| (name(nth).to_owned(), server.socket_address())).collect()
    }

    /// The table of a config, for somebody who reaches the servers at these addresses, or as they are.
    pub fn config(&self, through: impl Fn(&str) -> Option<SocketAddr>) -> String {
        let location = match self.kind {
            Kind::Sqlite => format!("path = '{}'", self.file.display()),
            _ => format!("url = '{}'", self.url(through)),
        };
        let kind = if self.kind == Kind::Mariadb { "mysql" } else { self.kind.name() };
        format!("[store]\ntype = '{kind}'\n{location}\npartitions = 16\n")
    }

    /// What an application is told.
    pub fn described(&self) -> Value {
        match self.kind {
            Kind::Sqlite => json!({ "type": "sqlite", "at": self.file }),
            Kind::Mariadb => json!({ "type": "mysql", "at": self.url(|_| None) }),
            _ => json!({ "type": self.kind.name(), "at": self.url(|_| None) }),
        }
    }

    fn url(&self, through: impl Fn(&str) -> Option<SocketAddr>) -> String {
        let doors = self.behind_links().into_iter().map(|(name, at)| through(&name).unwrap_or(at).to_string());
        let at = doors.collect::<Vec<_>>().join(",");
        match self.kind {
            Kind::Sqlite => String::new(),
            Kind::Postgres => format!("postgres://postgres@{at}/postgres?target_session_attrs=read-write"),
            Kind::Mariadb => format!("mysql://root@{at}/chaos"),
            Kind::Mongodb => format!("mongodb://{}/chaos?replicaSet=rs0", self.servers[0].address()),
        }
    }

    /// `kill -9` of the server that is written to.
    pub fn kill(&mut self) -> Result<()> {
        match self.kind {
            Kind::Sqlite => Ok(()),
            Kind::Mongodb => {
                let nodes = self.servers[0].socket_addresses();
                // Between two elections there is none, and any will do.
                self.servers[0].kill_node(mongodb::primary(&nodes).unwrap_or_default())
            }
            _ => self.servers[self.primary].kill(),
        }
    }

    /// Starts what was killed, with its data.
    pub fn start_again(&mut self) -> Result<()> {
        self.servers.iter_mut().try_for_each(Server::start_again)
    }

    /// Another server takes over: of PostgreSQL the standby of a primary that was killed, of MongoDB whoever is elected.
    pub fn fail_over(&mut self) -> Result<()> {
        if self.kind == Kind::Mongodb {
            // Between two elections nobody leads, so that nobody can step down.
            let _ = mongodb::step_down(&self.servers[0].socket_addresses(), STEPPED_DOWN);
            return Ok(());
        }
        self.servers[self.primary].kill()?;
        self.primary = 1 - self.primary;
        let standby = &self.servers[self.primary];
        postgres::promote(&standby.program()?, standby.folder(0))
    }

    /// The old primary becomes the standby of the new one.
    pub fn follow(&mut self) -> Result<()> {
        if self.kind == Kind::Mongodb {
            return Ok(());
        }
        let primary = self.servers[self.primary].socket_address();
        self.servers[1 - self.primary].follow(primary)
    }
}

/// With a database of its own.
fn start_mariadb(folder: &Path) -> Result<Server> {
    let create = folder.join("create.sql");
    fs::write(&create, "CREATE DATABASE IF NOT EXISTS chaos;\n")?;
    Server::start("mariadb", &[&format!("--init-file={}", create.display())])
}
