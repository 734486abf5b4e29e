//! The libraries that the programs in `clients` use, in `target/clients`: a Python environment and Node modules.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::step::quietly;

const FOLDER: &str = "target/clients";

/// Installs what `clients` lists, unless that was done for the same list before.
pub fn install() -> Result<()> {
    once("clients/requirements.txt", FOLDER, || {
        let environment = Path::new(FOLDER).join("python");
        quietly(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment))?;
        let mut pip = Command::new(environment.join("bin/pip"));
        quietly(pip.args(["install", "--quiet", "--disable-pip-version-check", "-r", "clients/requirements.txt"]))
    })?;
    once("clients/package.json", FOLDER, || {
        fs::copy("clients/package.json", Path::new(FOLDER).join("package.json"))?;
        quietly(Command::new("npm").args(["install", "--no-audit", "--no-fund", "--prefix", FOLDER]))
    })
}

/// A copy of the list beside what it lists tells that it is there.
pub fn once(list: &str, folder: &str, install: impl FnOnce() -> Result<()>) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {folder}"))?;
    let name = Path::new(list).file_name().unwrap_or_default().to_string_lossy();
    let installed = Path::new(folder).join(format!("installed-{name}"));
    let wanted = fs::read_to_string(list).with_context(|| format!("cannot read {list}"))?;
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    println!("installing {list}");
    install()?;
    Ok(fs::write(installed, wanted)?)
}
