//! `posthaste completions SHELL`

use std::io::{self, Write};

use clap::CommandFactory;

use crate::cli::Cli;
use crate::exit::Exit;

#[derive(Debug, clap::Args)]
pub struct Args {
    shell: clap_complete::Shell,
}

pub fn execute(args: &Args) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "posthaste", &mut script);
    io::stdout().write_all(&script)?;
    Ok(Exit::Ok)
}
