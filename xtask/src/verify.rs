//! What is promised, what tries to break it, and what came of that: `VERIFICATION.md`, made of what stands in `verification/`.
//!
//! `promises.toml` is written by hand. The other files are results, recorded by the tools that had them, with the day and the commit.
//! A name in `promises.toml` that is no longer there is an error, so that the document cannot promise more than is tried.

use std::fs;

use anyhow::{Context, Result, bail};

use self::promises::Promises;
use self::results::Results;
use crate::tidy::Tree;

mod names;
mod page;
mod pictures;
mod promises;
mod results;

pub use self::results::{record, record_in};

const PAGE: &str = "VERIFICATION.md";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write VERIFICATION.md anew; without this, only say whether it is up to date
    #[arg(long)]
    report: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let wrong = wrong(&Tree::read(".")?)?;
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    if args.report {
        draw()?;
    }
    let page = rendered()?;
    if args.report {
        fs::write(PAGE, page)?;
        println!("{PAGE} is written");
    } else if fs::read_to_string(PAGE).unwrap_or_default() != page {
        bail!("{PAGE} is not what the results say: cargo xtask verify --report");
    }
    Ok(())
}

/// What `promises.toml` names although it is not there, and whether the page is as it should be.
pub fn wrong(tree: &Tree) -> Result<Vec<String>> {
    let promises = Promises::read()?;
    Ok(names::missing(tree, &promises).into_iter().map(|name| format!("{}: {name}", promises::FILE)).collect())
}

/// Whether the page says what the results say.
pub fn is_up_to_date(tree: &Tree) -> Result<bool> {
    Ok(tree.get(PAGE).is_some_and(|page| rendered().is_ok_and(|rendered| rendered == page.text)))
}

/// The pictures that the page shows.
fn draw() -> Result<()> {
    let results = Results::read()?;
    for (name, svg) in results.get("chaos").map(pictures::of_chaos).transpose()?.unwrap_or_default() {
        fs::write(pictures::file(name), svg)?;
    }
    Ok(())
}

fn rendered() -> Result<String> {
    let results = Results::read().context("the results cannot be read")?;
    let names = pictures::TITLES.iter().map(|(name, _)| *name);
    let there: Vec<&str> = names.filter(|name| pictures::file(name).is_file()).collect();
    Ok(page::render(&Promises::read()?, &results, &there))
}
