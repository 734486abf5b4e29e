//! Operators: the program's own commands, as people type them.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};
use serde_json::Value;

#[derive(Debug)]
pub struct Operator {
    pub program: PathBuf,
    pub config: PathBuf,
}

impl Operator {
    /// Runs a command and answers its lines of JSON.
    pub fn ask(&self, arguments: &[&str]) -> Result<Vec<Value>> {
        let mut command = Command::new(&self.program);
        command.args(arguments).args(["--json", "--config"]).arg(&self.config).stdin(Stdio::null());
        let output = command.output()?;
        // A finding, such as dead messages in a status, is no failure.
        if !output.status.success() && output.status.code() != Some(1) {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("posthaste {}: {}: {}", arguments.join(" "), output.status, said.trim());
        }
        let said = String::from_utf8(output.stdout)?;
        said.lines().filter(|line| !line.is_empty()).map(|line| Ok(serde_json::from_str(line)?)).collect()
    }

    /// What happened during a fault may well fail; that is no news.
    pub fn try_to(&self, arguments: &[&str]) -> bool {
        self.ask(arguments).is_ok()
    }

    /// How many deliveries are neither delivered nor dead nor discarded, and how many are dead.
    pub fn left(&self) -> Result<(u64, u64)> {
        let status = self.ask(&["status"])?;
        let destinations = status.first().and_then(|status| status["destinations"].as_array().cloned());
        let count = |names: &[&str]| {
            let all = destinations.iter().flatten();
            all.flat_map(|row| names.iter().map(|name| row[*name].as_u64().unwrap_or(0))).sum()
        };
        Ok((count(&["pending", "waiting", "retrying", "scheduled", "throttled", "replay"]), count(&["dead"])))
    }

    /// The ids of deliveries that were given up for good.
    pub fn discarded(&self, destination: &str) -> Result<Vec<String>> {
        let arguments = ["list", "--status", "discarded", "--destination", destination, "--limit", "10000000"];
        let rows = self.ask(&arguments)?;
        Ok(rows.iter().filter_map(|row| Some(row["id"].as_str()?.to_owned())).collect())
    }
}
