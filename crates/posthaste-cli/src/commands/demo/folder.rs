//! The folder of the demo: its database, and a config for the other commands.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::config::StorePlan;
use crate::exit::Misuse;
use crate::store::Kind;

/// Written beside the database, so that the other commands find it.
const CONFIG_TEXT: &str = "\
# Written by `posthaste demo`, so that the other commands find its database.
# The demo's destinations live inside the demo itself, which is why none is listed here.
[store]
path = \"orders.db\"
";

#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    kept: bool,
}

impl Folder {
    /// The folder that was asked for, or a new one among the temporary files; that one is kept for people to look at.
    pub fn create(wanted: Option<&Path>, json: bool) -> anyhow::Result<Self> {
        let path = wanted.map_or_else(temporary, Path::to_owned);
        let folder = Self { path, kept: wanted.is_some() || !json };
        if folder.database().exists() {
            return Err(Misuse(format!("{} holds a demo already: name another folder", folder.path.display())).into());
        }
        let written = std::fs::create_dir_all(&folder.path).and_then(|()| std::fs::write(folder.config(), CONFIG_TEXT));
        written.with_context(|| Misuse(format!("cannot write to {}", folder.path.display())))?;
        Ok(folder)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn config(&self) -> PathBuf {
        self.path.join("posthaste.toml")
    }

    pub fn database(&self) -> PathBuf {
        self.path.join("orders.db")
    }

    pub fn store_plan(&self) -> StorePlan {
        StorePlan::file(Kind::Sqlite, self.database())
    }

    pub fn tidy_up(&self) -> anyhow::Result<()> {
        if self.kept {
            return Ok(());
        }
        std::fs::remove_dir_all(&self.path).with_context(|| format!("cannot remove {}", self.path.display()))
    }
}

fn temporary() -> PathBuf {
    let random = uuid::Uuid::now_v7().simple().to_string();
    std::env::temp_dir().join(format!("posthaste-demo-{}", &random[random.len() - 8..]))
}
