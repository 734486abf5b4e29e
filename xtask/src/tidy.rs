//! What compilers do not check. Each rule says what to do about it.

use anyhow::{Result, bail};

pub use self::tree::Tree;
use crate::{chores, root, verify};

mod adapters;
mod documents;
mod files;
mod manifests;
mod purity;
mod tree;

/// What was found: some of it must be mended, some of it may be lived with.
#[derive(Debug, Default, PartialEq, Eq)]
struct Findings {
    wrong: Vec<String>,
    doubtful: Vec<String>,
}

impl Findings {
    fn wrong(&mut self, what: impl Into<String>) {
        self.wrong.push(what.into());
    }

    fn doubtful(&mut self, what: impl Into<String>) {
        self.doubtful.push(what.into());
    }
}

pub fn run() -> Result<()> {
    let tree = Tree::read(".")?;
    let mut findings = Findings::default();
    files::check(&tree, &mut findings);
    manifests::check(&tree, &mut findings);
    purity::check(&tree, &mut findings);
    adapters::check(&tree, &root::features()?, &mut findings);
    documents::check(&tree, &root::dependencies()?, &chores(), &mut findings);
    verify::wrong(&tree)?.into_iter().for_each(|wrong| findings.wrong(wrong));
    if !verify::is_up_to_date(&tree)? {
        findings.wrong("VERIFICATION.md is not what the results say: cargo xtask verify --report");
    }

    for doubtful in &findings.doubtful {
        println!("warning: {doubtful}");
    }
    for wrong in &findings.wrong {
        println!("wrong: {wrong}");
    }
    if !findings.wrong.is_empty() {
        bail!("{} things to tidy up", findings.wrong.len());
    }
    println!("{} files are tidy", tree.files().len());
    Ok(())
}
