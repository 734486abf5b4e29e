//! What the dashboard is tested with: a real browser, what drives it, and the checker of types. Nothing of it is needed to build.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::clients::once;
use crate::services::install::{apt, find};
use crate::step::{cargo, execute, quietly};

const LIST: &str = "crates/posthaste-cli/tests/browser/package.json";
/// Tests find everything here.
const FOLDER: &str = "target/browser";

/// Installs Chromium with Debian's packages, and the rest with npm.
pub fn install() -> Result<()> {
    let needed = [("chromium", "chromium"), ("node", "nodejs"), ("npm", "npm")];
    let missing: Vec<&str> =
        needed.iter().filter(|(program, _)| find(program).is_none()).map(|(_, package)| *package).collect();
    if !missing.is_empty() {
        println!("browser: installing {}", missing.join(", "));
        apt(&missing)?;
    }
    once(LIST, FOLDER, || {
        fs::copy(LIST, Path::new(FOLDER).join("package.json"))?;
        let options =
            ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "--prefix", FOLDER];
        quietly(Command::new("npm").args(options))
    })
}

/// Holds the scripts of the dashboard against the description of the API that the program itself prints.
pub fn check_types() -> Result<()> {
    install()?;
    // Built as the tests are, so that nothing is built twice.
    execute(&mut cargo("build --quiet --workspace --all-features --bins --examples"))?;
    let printed = Command::new("target/debug/posthaste").arg("openapi").output()?;
    anyhow::ensure!(printed.status.success(), "posthaste openapi: {}", String::from_utf8_lossy(&printed.stderr));
    fs::write(Path::new(FOLDER).join("openapi.json"), printed.stdout)?;
    let modules = Path::new(FOLDER).join("node_modules/.bin");
    let (description, types) = (Path::new(FOLDER).join("openapi.json"), Path::new(FOLDER).join("api.d.ts"));
    quietly(Command::new(modules.join("openapi-typescript")).arg(description).arg("--output").arg(types))?;
    execute(Command::new(modules.join("tsc")).args(["--project", "crates/posthaste-cli/ui/tsconfig.json"]))
}
