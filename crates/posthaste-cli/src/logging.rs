//! Logs go to stderr, always: stdout is for answers and for the stdout sink.

use std::io;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt, reload};

use crate::config::{LogFormat, LogPlan};

/// How much is logged. It can change while the program runs.
pub struct Level {
    handle: reload::Handle<Targets, Registry>,
    /// Whether `-v` was given, which overrides the config.
    fixed: bool,
}

impl Level {
    pub fn set(&self, level: &str) {
        if !self.fixed {
            // Fails only when the subscriber is gone, and then nothing is logged anyway.
            let _ = self.handle.reload(without_payloads(targets(level)));
        }
    }
}

/// For a relay: as the config says, or more if `-v` was given.
pub fn for_relay(plan: &LogPlan, verbose: u8) -> Level {
    let filter = if verbose == 0 { targets(&plan.level) } else { at(verbose) };
    Level { handle: init(plan.format, filter), fixed: verbose > 0 }
}

/// For everything else: only warnings, or more if `-v` was given.
pub fn for_commands(verbose: u8) {
    let filter = if verbose == 0 { Targets::new().with_default(LevelFilter::WARN) } else { at(verbose) };
    init(LogFormat::Pretty, filter);
}

/// The level was parsed once when the config was resolved.
fn targets(level: &str) -> Targets {
    level.parse().unwrap_or_else(|_| Targets::new().with_default(LevelFilter::INFO))
}

fn at(verbose: u8) -> Targets {
    Targets::new().with_default(if verbose == 1 { LevelFilter::DEBUG } else { LevelFilter::TRACE })
}

/// Client libraries that log what messages carry: returned messages, headers, parameters of statements. Everything else that they log
/// is also in the errors of sinks and stores.
const CLIENTS_THAT_LOG_PAYLOADS: [&str; 3] = ["async_nats", "lapin", "tokio_postgres"];

fn without_payloads(filter: Targets) -> Targets {
    let default = filter.default_level().unwrap_or(LevelFilter::OFF);
    let is_allowed = |target: &str| !CLIENTS_THAT_LOG_PAYLOADS.iter().any(|client| target.starts_with(client));
    let others: Targets = filter.into_iter().filter(|(target, _)| is_allowed(target)).collect();
    CLIENTS_THAT_LOG_PAYLOADS
        .iter()
        .fold(others.with_default(default), |filter, client| filter.with_target(*client, LevelFilter::OFF))
}

fn init(format: LogFormat, filter: Targets) -> reload::Handle<Targets, Registry> {
    let (filter, handle) = reload::Layer::new(without_payloads(filter));
    let colour = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    let layer = match format {
        LogFormat::Pretty => fmt::layer().with_writer(io::stderr).with_ansi(colour).boxed(),
        LogFormat::Json => fmt::layer().json().flatten_event(true).with_writer(io::stderr).boxed(),
    };
    tracing_subscriber::registry().with(layer.with_filter(filter)).init();
    handle
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn clients_that_would_show_payloads_are_silent_at_every_level() {
        for level in [
            "trace",
            "info,tokio_postgres=trace",
            "tokio_postgres::query=debug,lapin::channel=trace,async_nats=info",
            "warn",
        ] {
            let filter = without_payloads(targets(level));
            for client in ["tokio_postgres", "tokio_postgres::query", "lapin::channel", "async_nats"] {
                assert!(!filter.would_enable(client, &Level::ERROR), "{client} at {level}");
            }
        }
        assert!(without_payloads(targets("warn,posthaste=trace")).would_enable("posthaste::relay", &Level::TRACE));
        assert!(!without_payloads(targets("warn,posthaste=trace")).would_enable("hyper", &Level::INFO));
    }
}
