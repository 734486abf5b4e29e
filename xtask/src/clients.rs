//! The libraries that the programs in `clients` use, in `target/clients`: a Python environment and Node modules.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::step::quietly;

const FOLDER: &str = "target/clients";

/// Installs what `clients` lists, unless that was done for the same list before.
pub fn install() -> Result<()> {
    once("clients/requirements.txt", || {
        let environment = Path::new(FOLDER).join("python");
        quietly(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment))?;
        let mut pip = Command::new(environment.join("bin/pip"));
        quietly(pip.args(["install", "--quiet", "--disable-pip-version-check", "-r", "clients/requirements.txt"]))
    })?;
    once("clients/package.json", || {
        fs::copy("clients/package.json", Path::new(FOLDER).join("package.json"))?;
        quietly(Command::new("npm").args(["install", "--no-audit", "--no-fund", "--prefix", FOLDER]))
    })
}

/// A copy of the list beside what it lists tells that it is there.
fn once(list: &str, install: impl FnOnce() -> Result<()>) -> Result<()> {
    fs::create_dir_all(FOLDER).with_context(|| format!("cannot create {FOLDER}"))?;
    let installed = Path::new(FOLDER).join(list.replace("clients/", "installed-"));
    let wanted = fs::read_to_string(list).with_context(|| format!("cannot read {list}"))?;
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    println!("clients: installing {list}");
    install()?;
    Ok(fs::write(installed, wanted)?)
}
