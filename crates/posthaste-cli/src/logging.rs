//! Where logs go: stderr, always, because answers and the stdout sink own stdout.

use std::io;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt, reload};

use crate::config::{LogFormat, LogPlan};

/// How much is logged, to be changed while the program runs.
pub struct Level {
    handle: reload::Handle<Targets, Registry>,
    /// `-v` on the command line goes before what the config says.
    fixed: bool,
}

impl Level {
    pub fn set(&self, level: &str) {
        if !self.fixed {
            // Fails only when the subscriber is gone, and then nothing is logged anyway.
            let _ = self.handle.reload(discreet(targets(level)));
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

/// Clients that would show what messages carry: those that a broker returns, headers on their way, what a statement writes. Of what
/// they say, all that matters is in the errors of sinks and stores.
const INDISCREET: [&str; 3] = ["async_nats", "lapin", "tokio_postgres"];

fn discreet(filter: Targets) -> Targets {
    let default = filter.default_level().unwrap_or(LevelFilter::OFF);
    let speaks = |target: &str| !INDISCREET.iter().any(|client| target.starts_with(client));
    let others: Targets = filter.into_iter().filter(|(target, _)| speaks(target)).collect();
    INDISCREET.iter().fold(others.with_default(default), |filter, client| filter.with_target(*client, LevelFilter::OFF))
}

fn init(format: LogFormat, filter: Targets) -> reload::Handle<Targets, Registry> {
    let (filter, handle) = reload::Layer::new(discreet(filter));
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
    fn clients_that_would_show_payloads_are_not_heard_whatever_the_level_says() {
        for level in [
            "trace",
            "info,tokio_postgres=trace",
            "tokio_postgres::query=debug,lapin::channel=trace,async_nats=info",
            "warn",
        ] {
            let filter = discreet(targets(level));
            for client in ["tokio_postgres", "tokio_postgres::query", "lapin::channel", "async_nats"] {
                assert!(!filter.would_enable(client, &Level::ERROR), "{client} at {level}");
            }
        }
        assert!(discreet(targets("warn,posthaste=trace")).would_enable("posthaste::relay", &Level::TRACE));
        assert!(!discreet(targets("warn,posthaste=trace")).would_enable("hyper", &Level::INFO));
    }
}
