//! `posthaste init`: a commented config to start from.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::config::{DEFAULT_PATHS, DEFAULT_TOML};
use crate::context::Context;
use crate::exit::{Exit, Misuse};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Replace a config that exists
    #[arg(long)]
    force: bool,
}

pub fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let path = context.config_path().map_or_else(|| PathBuf::from(DEFAULT_PATHS[0]), Path::to_owned);
    if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
        return Err(Misuse("`init` writes TOML: give the file a name that ends in .toml".into()).into());
    }
    write(&path, args.force)?;
    let (output, shown) = (context.output, path.display());
    if output.json {
        output.document(&json!({ "config": path }))?;
        return Ok(Exit::Ok);
    }
    output.line(format_args!("Wrote {shown}. Next:"))?;
    let steps = [("migrate", "creates the journal"), ("check", "says whether everything works"), ("run", "delivers")];
    for (command, does) in steps {
        output.line(format_args!("  {}    {does}", context.with_config(&format!("posthaste {command:<7}"))))?;
    }
    Ok(Exit::Ok)
}

fn write(path: &Path, force: bool) -> anyhow::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true);
    if force {
        options.create(true).truncate(true)
    } else {
        options.create_new(true)
    };
    let written = options.open(path).and_then(|mut file| io::Write::write_all(&mut file, DEFAULT_TOML.as_bytes()));
    written.map_err(|error| {
        let shown = path.display();
        Misuse(match error.kind() {
            io::ErrorKind::AlreadyExists => format!("{shown} is there already: --force replaces it"),
            _ => format!("cannot write {shown}: {error}"),
        })
        .into()
    })
}
