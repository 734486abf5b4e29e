//! Mailpit: a mail server that keeps what it gets, shows it by HTTP, and fails on demand.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::process::Command;

use anyhow::Result;

use super::ask::ask;
use super::catalog::{Node, Service};
use super::{cache, go, ports};

pub const SERVICE: Service = Service {
    name: "mailpit",
    needs: &[("python3", "python3"), ("pip", "python3-pip")],
    find: || Some(cache::folder(CACHED).ok()?.join("mailpit")).filter(|program| program.is_file()),
    fetch,
    command,
    answers: |addresses| addresses.iter().try_for_each(answers),
    ..Service::PLAIN
};

const CACHED: &str = "mailpit-1.30.7";
/// Without its web pages, which no registry has.
const PROGRAM: go::Program = go::Program {
    module: "github.com/axllent/mailpit",
    version: "v1.30.7",
    package: "github.com/axllent/mailpit",
    name: "mailpit",
    edits: &[],
    linked_with: "",
};

fn fetch() -> Result<()> {
    cache::make(CACHED, |folder| PROGRAM.build(folder))
}

/// It speaks first, unless it wants to be spoken to in TLS: then it takes a connection and waits.
fn answers(address: &SocketAddr) -> Result<()> {
    let waits = |error: &anyhow::Error| {
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        matches!(kind, Some(io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut))
    };
    ask(*address, b"", b"220 ").or_else(|error| if waits(&error) { Ok(()) } else { Err(error) })
}

/// The address is where mail goes; where it is read stands in the file `http`.
fn command(node: &Node) -> Result<Command> {
    let http = SocketAddr::new(node.address.ip(), ports::free()?);
    fs::write(node.folder.join("http"), http.to_string())?;
    let mut command = Command::new(&node.program);
    command.args(["--smtp", &node.address.to_string(), "--listen", &http.to_string(), "--database"]);
    command.arg(node.folder.join("mail.db")).args(["--max", "0", "--disable-version-check", "--smtp-disable-rdns"]);
    // Whoever logs in is let in, also without encryption: it is on this machine.
    command.args(["--smtp-auth-accept-any", "--smtp-auth-allow-insecure", "--enable-chaos", "--quiet"]);
    // Tests of refusals write to other domains.
    command.args(["--smtp-allowed-recipients", r"@example\.(com|org)$"]);
    Ok(command)
}
