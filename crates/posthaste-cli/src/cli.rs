//! The command line: its commands and global flags. The arguments of a command stand beside its code.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

#[cfg(feature = "table")]
use crate::commands::adopt;
use crate::commands::{
    audit, completions, demo, enqueue, explain, history, init, jobs, list, migrate, notify, operate, pause, purge,
    show, sources, r#try, ui,
};
use crate::exit;

/// A transactional outbox: events written with your data, delivered in order, to wherever they must go.
#[derive(Debug, Parser)]
#[command(name = "posthaste", version, after_help = exit::HELP, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The config file [default: posthaste.toml, then posthaste.yaml]
    #[arg(short, long, global = true, value_name = "FILE", env = "POSTHASTE_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// Answer in JSON: one document on one line; lists as JSON lines
    #[arg(long, global = true)]
    pub json: bool,
    /// Say more on stderr (-v debug, -vv trace)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

#[derive(Debug, Subcommand)]
#[command(subcommand_help_heading = "Commands")]
pub enum Command {
    /// Write a config with comments to start from
    Init(init::Args),
    /// Create the journal in the store, or bring it up to date
    Migrate(migrate::Args),
    /// Deliver: run a relay until SIGTERM or SIGINT
    Run,
    /// See it work: an order service, a relay, an outage, and a proof at the end
    Demo(demo::Args),
    /// Write messages to the journal
    Enqueue(enqueue::Args),
    /// Show destinations, workers, and what needs a person
    Status,
    /// List deliveries, by status, destination, key and more
    List(list::Args),
    /// Show everything about one message: fields, attempts, what is next
    Show(show::Args),
    /// Say why a message is not delivered, and what helps
    Explain(explain::Args),
    /// List the events of one aggregate, in order
    History(history::Args),
    /// Deliver messages again (a dry run unless --yes is given)
    Replay(operate::Args),
    /// Discard deliveries: they are never delivered (a dry run unless --yes is given)
    Discard(operate::Args),
    /// Stop all deliveries to a destination, or those of one tenant, until it is resumed
    Pause(pause::Args),
    /// Resume deliveries to a paused destination, or to a paused tenant of it
    Resume(pause::Args),
    /// Show the sources that are read into the journal; pause, resume or rewind one
    Sources(sources::Args),
    /// Look at the table or collection of an outbox that exists, and propose how to read it (a dry run unless --write is given)
    #[cfg(feature = "table")]
    Adopt(adopt::Args),
    /// Remove old delivered messages (a dry run unless --yes is given)
    Purge(purge::Args),
    /// List replays and discards of many, and stop them
    Jobs(jobs::Args),
    /// List who changed what: replays, discards, pauses, purges, and who tried expressions on messages
    Audit(audit::Args),
    /// Show what is wrong and who is told of it; with --test, send them a test
    Notify(notify::Args),
    /// Show what filter and transform of a destination do to real messages, before and after
    Try(r#try::Args),
    /// Serve the dashboard, also while no relay runs
    Ui(ui::Args),
    /// Check that everything works: config, store, journal, destinations
    Check,
    /// Print the description of the HTTP API, to make clients from
    #[cfg(feature = "http")]
    Openapi,
    /// Print the completion script for a shell
    Completions(completions::Args),
}
