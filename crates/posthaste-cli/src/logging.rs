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
        0 => plan.level.parse().unwrap_or_else(|_| Targets::new().with_default(LevelFilter::INFO)),
        more => at(more),
    };
    init(plan.format, filter);
}

/// For everything else: only warnings, or more if `-v` was given.
pub fn for_commands(verbose: u8) {
    let filter = if verbose == 0 { Targets::new().with_default(LevelFilter::WARN) } else { at(verbose) };
    init(LogFormat::Pretty, filter);
}

fn at(verbose: u8) -> Targets {
    Targets::new().with_default(if verbose == 1 { LevelFilter::DEBUG } else { LevelFilter::TRACE })
}

fn init(format: LogFormat, filter: Targets) {
    // Shows payloads of messages that a broker returns; what matters of it is in the errors of its sink.
    let filter = filter.with_target("lapin", LevelFilter::OFF);
    let colour = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    let layer = match format {
        LogFormat::Pretty => fmt::layer().with_writer(io::stderr).with_ansi(colour).boxed(),
        LogFormat::Json => fmt::layer().json().flatten_event(true).with_writer(io::stderr).boxed(),
    };
    tracing_subscriber::registry().with(layer.with_filter(filter)).init();
}
