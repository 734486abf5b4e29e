//! PgBouncer in transaction mode, in front of the shared PostgreSQL or of one that a test names.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::chown;
use std::process::Command;

use anyhow::{Context, Result};

use super::ask::ask;
use super::catalog::{Node, Service};
use super::instance::Instance;
use super::patience::{PATIENCE, until};
use super::{install, postgres};

pub const SERVICE: Service = Service {
    name: "pgbouncer",
    needs: &[("pgbouncer", "pgbouncer")],
    find: || install::find("pgbouncer"),
    command,
    answers: |addresses| {
        addresses.iter().try_for_each(|address| ask(*address, postgres::STARTUP, postgres::AUTHENTICATION_OK))
    },
    ..Service::PLAIN
};

/// Its settings are made anew at each start: the server may be elsewhere than the last time.
fn command(node: &Node) -> Result<Command> {
    let server = server()?;
    let settings = format!(
        "[databases]\n* = host={} port={}\n[pgbouncer]\nlisten_addr={}\nlisten_port={}\nunix_socket_dir=\npool_mode=transaction\n\
         auth_type=trust\nauth_file=users.txt\nmax_client_conn=1000\ndefault_pool_size=40\nignore_startup_parameters=extra_float_digits\nserver_login_retry=1\n",
        server.ip(),
        server.port(),
        node.address.ip(),
        node.address.port(),
    );
    fs::write(node.folder.join("pgbouncer.ini"), settings)?;
    fs::write(node.folder.join("users.txt"), "\"postgres\" \"\"\n")?;
    if install::is_root() {
        chown(&node.folder, Some(postgres::NOBODY), Some(postgres::NOBODY)).context("cannot give the folder away")?;
    }
    let mut command = postgres::as_nobody_if_root(&node.program);
    command.arg("pgbouncer.ini");
    Ok(command)
}

/// The one that a test names, or else the shared one, which may be starting just now.
fn server() -> Result<SocketAddr> {
    if let Ok(named) = std::env::var(postgres::PRIMARY) {
        return named.parse().with_context(|| format!("{} is no address: {named}", postgres::PRIMARY));
    }
    let running = || Instance::running(&postgres::SERVICE).filter(Instance::answers);
    until(PATIENCE, || running().is_some());
    let found = running().context("PgBouncer needs the server: cargo xtask services up postgres pgbouncer")?;
    found.address().parse().context("the address of the server")
}
