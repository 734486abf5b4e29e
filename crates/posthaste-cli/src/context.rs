//! What every command starts from: output, config and store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::Global;
use crate::config::{self, Env, Plan};
use crate::operator::Operator;
use crate::output::Output;
use crate::store;
use posthaste::store::Store;

#[derive(Debug)]
pub struct Context {
    pub output: Output,
    config: Option<PathBuf>,
    pub verbose: u8,
}

impl Context {
    pub fn new(global: Global) -> Self {
        Self { output: Output::new(global.json), config: global.config, verbose: global.verbose }
    }

    /// The config file that was named on the command line or by `POSTHASTE_CONFIG`.
    pub fn config_path(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// A command for a person to copy, with the config that this command was given.
    pub fn with_config(&self, command: &str) -> String {
        match (&self.config, command.strip_prefix("posthaste ")) {
            (Some(path), Some(rest)) => format!("posthaste -c {} {rest}", path.display()),
            _ => command.to_owned(),
        }
    }

    pub fn plan(&self) -> Result<Plan, config::Error> {
        let as_text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        let env: Env = std::env::vars_os().filter_map(as_text).collect();
        config::load(self.config.as_deref(), &env)
    }

    /// The plan and its store, with logs for people on stderr.
    pub async fn open(&self) -> anyhow::Result<(Plan, Arc<dyn Store>)> {
        let plan = self.plan()?;
        crate::logging::for_commands(self.verbose);
        let store = store::open(&plan.store).await?;
        Ok((plan, store))
    }

    /// The store as an operator uses it.
    pub async fn operator(&self) -> anyhow::Result<Operator> {
        let (plan, store) = self.open().await?;
        Ok(Operator::new(&plan, &store))
    }
}
