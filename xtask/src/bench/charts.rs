//! Pictures of what is on record: SVG files in `docs/pictures`, readable on dark and on light pages.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::record;

mod bars;
mod curves;
mod of_peers;
pub mod theme;

const FOLDER: &str = "docs/pictures";

/// Draws everything that is on record.
pub fn draw() -> Result<()> {
    of_peers(&record::get("peers")?)?;
    of_growth(&record::get("growth")?)
}

pub fn of_peers(result: &Value) -> Result<()> {
    write("peers-drain", &bars::draw(&of_peers::draining(result)?)?)?;
    write("peers-waits", &bars::draw(&of_peers::waiting(result)?)?)?;
    write("peers-writes", &bars::draw(&of_peers::writing(result)?)?)
}

pub fn of_growth(result: &Value) -> Result<()> {
    write("growth-drain", &curves::draw(result, "drained per second", &["drain_per_s"])?)?;
    write("growth-waits", &curves::draw(result, "wait in ms, p50 and p99", &["p50_ms", "p99_ms"])?)?;
    write("growth-memory", &curves::draw(result, "most memory in MB", &["memory_mb"])?)
}

fn write(name: &str, svg: &str) -> Result<()> {
    let path = Path::new(FOLDER).join(format!("{name}.svg"));
    fs::write(&path, svg).with_context(|| format!("cannot write {}", path.display()))?;
    println!("drawn: {}", path.display());
    Ok(())
}
