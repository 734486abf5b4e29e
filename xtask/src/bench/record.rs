//! Results of benchmarks that are on record: with the machine, how busy it was, the day and the commit.

use std::fs;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::verify;

pub const FOLDER: &str = "benches/results";

/// Puts a result on record.
pub fn put(name: &str, result: Value) -> Result<()> {
    verify::record_in(FOLDER, name, result)
}

/// What is on record.
pub fn get(name: &str) -> Result<Value> {
    let path = format!("{FOLDER}/{name}.json");
    let text = fs::read_to_string(&path).with_context(|| format!("{path}: cargo xtask bench {name} --record"))?;
    serde_json::from_str(&text).with_context(|| format!("{path} is no result"))
}

/// The machine, and how much others had it do at the beginning.
pub fn machine() -> Value {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let memory = field(&read("/proc/meminfo"), "MemTotal").and_then(|said| kilobytes(&said)).unwrap_or_default();
    json!({
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
        "processor": field(&read("/proc/cpuinfo"), "model name"),
        "memory_gb": (memory / 1024.0 / 1024.0).round(),
        "kernel": read("/proc/sys/kernel/osrelease").trim(),
        "load_before": read("/proc/loadavg").split(' ').next().and_then(|load| load.parse::<f64>().ok()),
    })
}

/// The first value of a name in one of Linux's lists.
pub fn field(text: &str, name: &str) -> Option<String> {
    let of_that_name = |line: &str| {
        line.split_once(':').filter(|(field, _)| field.trim() == name).map(|(_, value)| value.trim().to_owned())
    };
    text.lines().find_map(of_that_name)
}

/// `1024 kB` as a number.
pub fn kilobytes(said: &str) -> Option<f64> {
    said.strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_linux_are_read() {
        let list = "MemTotal:       24616404 kB\nMemFree: 1 kB\n";
        assert_eq!(field(list, "MemTotal").and_then(|said| kilobytes(&said)), Some(24_616_404.0));
        assert_eq!(field("model name\t: A: B\nmodel name\t: C\n", "model name").as_deref(), Some("A: B"));
        assert_eq!(field(list, "Mem"), None);
    }
}
