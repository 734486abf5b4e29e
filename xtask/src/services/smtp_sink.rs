//! `smtp-sink` of Postfix: a mail server that fails at whichever step it is told to, and writes down what it gets.

use std::process::Command;

use anyhow::{Context, Result};

use super::ask::ask;
use super::cache;
use super::catalog::Service;
use super::install;
use crate::step::quietly;

pub const SERVICE: Service = Service {
    name: "smtp-sink",
    needs: &[],
    find: || Some(cache::folder(CACHED).ok()?.join("smtp-sink")).filter(|program| program.is_file()),
    fetch,
    command: |node| {
        let mut command = Command::new("sh");
        command.env("LD_LIBRARY_PATH", node.program.parent().context("it is in a folder")?);
        // Each transaction in a file of its own. A test's own options come before the address, which is the end.
        let (program, address) = (node.program.display(), node.address);
        // It wants to hear from root that root is meant.
        let user = if install::is_root() { "-u root" } else { "" };
        command.args(["-c", &format!("exec {program} {user} -d mail/%H%M%S. \"$@\" {address} 100"), "sh"]);
        Ok(command)
    },
    answers: |addresses| addresses.iter().try_for_each(|address| ask(*address, b"", b"220 ")),
    ..Service::PLAIN
};

const CACHED: &str = "smtp-sink-3";
const PARTS: [&str; 3] =
    ["usr/sbin/smtp-sink", "usr/lib/postfix/libpostfix-global.so", "usr/lib/postfix/libpostfix-util.so"];

/// Out of Debian's package, which is not installed: it would start a mail server.
fn fetch() -> Result<()> {
    cache::make(CACHED, |folder| {
        let download = || quietly(Command::new("apt-get").args(["download", "postfix"]).current_dir(folder));
        download().or_else(|_| install::update().and_then(|()| download()))?;
        quietly(Command::new("sh").args(["-c", "dpkg -x postfix*.deb . && rm *.deb"]).current_dir(folder))?;
        quietly(Command::new("mv").args(PARTS).arg(".").current_dir(folder))?;
        quietly(Command::new("rm").args(["-r", "etc", "usr", "lib", "var"]).current_dir(folder))
    })
}
