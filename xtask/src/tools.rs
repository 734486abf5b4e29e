//! Programs that tests call.

use anyhow::Result;

use crate::services::install;

/// Installs what is missing.
pub fn install() -> Result<()> {
    match install::find("jq") {
        Some(_) => Ok(()),
        None => install::apt(&["jq"]),
    }
}
