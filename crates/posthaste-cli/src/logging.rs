//! Where logs go: stderr, always, because answers and the stdout sink own stdout.

use std::io;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use crate::config::{LogFormat, LogPlan};

/// For a relay: as the config says, or more if `-v` was given.
pub fn for_relay(plan: &LogPlan, verbose: u8) {
    let filter = match verbose {
        // The level was parsed once when the config was resolved.
        0 => without_clients(plan.level.parse().unwrap_or_else(|_| Targets::new().with_default(LevelFilter::INFO))),
        more => at(more),
    };
    init(plan.format, filter);
}

/// Clients that log for themselves what the relay says anyway, and call a lost connection an error of theirs. Who names one in
/// `log.level` hears it.
fn without_clients(filter: Targets) -> Targets {
    const CLIENTS: [&str; 1] = ["async_nats"];
    let unnamed = |client: &&str| !filter.iter().any(|(target, _)| target == *client);
    let silent: Vec<&str> = CLIENTS.into_iter().filter(unnamed).collect();
    silent.into_iter().fold(filter, |filter, client| filter.with_target(client, LevelFilter::OFF))
}

/// For everything else: only warnings, or more if `-v` was given.
pub fn for_commands(verbose: u8) {
    let quiet = || without_clients(Targets::new().with_default(LevelFilter::WARN));
    let filter = if verbose == 0 { quiet() } else { at(verbose) };
    init(LogFormat::Pretty, filter);
}

fn at(verbose: u8) -> Targets {
    Targets::new().with_default(if verbose == 1 { LevelFilter::DEBUG } else { LevelFilter::TRACE })
}

fn init(format: LogFormat, filter: Targets) {
    let colour = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    let layer = match format {
        LogFormat::Pretty => fmt::layer().with_writer(io::stderr).with_ansi(colour).boxed(),
        LogFormat::Json => fmt::layer().json().flatten_event(true).with_writer(io::stderr).boxed(),
    };
    tracing_subscriber::registry().with(layer.with_filter(filter)).init();
}
