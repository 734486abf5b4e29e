//! MariaDB, as Debian has it.

use std::fs;
use std::net::SocketAddr;
use std::process::Command;

use anyhow::{Result, bail};

use super::ask::exchange;
use super::catalog::{Node, Service};
use super::install;
use crate::step::quietly;

pub const SERVICE: Service = Service {
    name: "mariadb",
    needs: &[("mariadbd", "mariadb-server")],
    find: || install::find("mariadbd"),
    prepare,
    command,
    answers: |addresses| addresses.iter().try_for_each(greets),
    ..Service::PLAIN
};

fn prepare(node: &Node) -> Result<()> {
    let mut command = Command::new(install::find("mariadb-install-db").unwrap_or_else(|| "mariadb-install-db".into()));
    command.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-log-bin"]);
    command.args(as_root_if_root()).arg(format!("--datadir={}/data", node.folder.display())).arg(temporary(node)?);
    quietly(command.current_dir(&node.folder))
}

fn command(node: &Node) -> Result<Command> {
    let mut command = Command::new(&node.program);
    command.arg("--no-defaults").args(as_root_if_root()).args(common(node)?);
    command.args(["--log-bin=log", "--gtid-strict-mode=ON", "--innodb-log-file-size=64M"]);
    Ok(command)
}

/// What both servers of the family take: all in one folder, a log as for replication, and no sync, since tests kill servers and not
/// machines.
pub fn common(node: &Node) -> Result<Vec<String>> {
    let folder = node.folder.display();
    Ok(vec![
        format!("--datadir={folder}/data"),
        temporary(node)?,
        // In the folder of the data: the path of a socket must not be long.
        "--socket=socket".into(),
        "--pid-file=pid".into(),
        format!("--bind-address={}", node.address.ip()),
        format!("--port={}", node.address.port()),
        // Each takes part in a replication of its own at most.
        format!("--server-id={}", node.address.port()),
        "--innodb-flush-log-at-trx-commit=0".into(),
        "--sync-binlog=0".into(),
        "--innodb-buffer-pool-size=128M".into(),
        "--max-allowed-packet=64M".into(),
        "--max-connections=300".into(),
        "--performance-schema=OFF".into(),
    ])
}

/// Where a server, or what makes its data, has its temporary files. Not the folder that all share: one that starts removes the temporary
/// tables that it finds there, also those of others.
pub fn temporary(node: &Node) -> Result<String> {
    let folder = node.folder.join("tmp");
    fs::create_dir_all(&folder)?;
    Ok(format!("--tmpdir={}", folder.display()))
}

pub fn as_root_if_root() -> Option<&'static str> {
    install::is_root().then_some("--user=root")
}

/// Whoever connects is greeted with version 10 of the protocol, after a length and a number.
pub fn greets(address: &SocketAddr) -> Result<()> {
    let greeting = exchange(*address, b"", 5)?;
    if greeting[4] != 10 {
        bail!("refuses connections");
    }
    Ok(())
}
