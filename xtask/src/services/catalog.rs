//! Every service there is. To add one, add a row; the name is the same as the adapter's feature.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use super::install;

/// How to have a server of one kind.
#[derive(Debug)]
pub struct Service {
    pub name: &'static str,
    /// Whether `cargo xtask test` starts it.
    pub tests_need_it: bool,
    /// Names of its program, looked up on the path; the first one found is taken. One with a slash is a path.
    pub programs: &'static [&'static str],
    /// Makes one of the programs be found.
    pub install: fn() -> Result<()>,
    /// What to execute so that it serves `address`, in the foreground, with all its data in `folder`.
    pub command: fn(program: &Path, folder: &Path, address: SocketAddr) -> Command,
    /// Whether it answers in its own protocol, not merely listens.
    pub answers: fn(SocketAddr) -> Result<()>,
}

pub const CATALOG: &[Service] = &[Service {
    name: "redis",
    tests_need_it: false,
    programs: &["redis-server"],
    install: || install::apt(&["redis-server"]),
    command: |program, folder, address| {
        let mut command = Command::new(program);
        command.args(["--bind", &address.ip().to_string(), "--port", &address.port().to_string()]);
        command.args(["--save", "", "--appendonly", "no", "--daemonize", "no", "--dir"]).arg(folder);
        command
    },
    answers: |address| ask(address, b"PING\r\n", b"+PONG"),
}];

/// Sends a question and wants an answer that begins like this.
fn ask(address: SocketAddr, question: &[u8], expected: &[u8]) -> Result<()> {
    const PATIENCE: Duration = Duration::from_secs(1);
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(question)?;
    let mut answer = vec![0; expected.len()];
    stream.read_exact(&mut answer)?;
    if answer != expected {
        bail!("answered {:?}", String::from_utf8_lossy(&answer));
    }
    Ok(())
}
