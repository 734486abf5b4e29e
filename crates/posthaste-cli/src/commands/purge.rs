//! `posthaste purge`: old delivered messages, removed by hand.

use std::io::{self, IsTerminal};
use std::time::Duration;

use posthaste::journal::Journal;
use serde_json::json;

use crate::context::Context;
use crate::exit::{Exit, Misuse};
use crate::output::count;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only messages older than this [default: retention.keep of the config]
    #[arg(long, value_name = "DURATION", value_parser = crate::duration::parse)]
    older_than: Option<Duration>,
    /// Do it; without, only count
    #[arg(long)]
    yes: bool,
}

/// Messages per transaction: short enough that writers hardly notice.
const BATCH: usize = 5_000;

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let (plan, store) = context.open().await?;
    let older_than = args.older_than.or(plan.relay.retention).ok_or_else(|| {
        Misuse(
            "the config keeps messages forever: say which ones to remove with --older-than, such as --older-than 30d"
                .into(),
        )
    })?;
    let output = context.output;
    let removed = if args.yes { purge(context, &*store.journal, older_than).await? } else { 0 };
    let removable = if args.yes { removed } else { store.inspect.purgeable(older_than).await? };
    if output.json {
        output.document(&json!({ "messages": removable, "removed": removed, "dry_run": !args.yes }))?;
        return Ok(Exit::Ok);
    }
    let age = crate::duration::brief(older_than);
    if args.yes {
        output.line(format_args!("Removed {} older than {age}.", count(removed, "message")))?;
    } else {
        output.line(format_args!(
            "Would remove {} older than {age} that every destination has settled.",
            count(removable, "message")
        ))?;
        output.note("This was a dry run: --yes does it.");
    }
    Ok(Exit::Ok)
}

async fn purge(context: &Context, journal: &dyn Journal, older_than: Duration) -> anyhow::Result<u64> {
    let watched = io::stderr().is_terminal();
    let mut removed = 0;
    loop {
        let purged = journal.purge(older_than, BATCH).await?;
        removed += purged.messages;
        if !purged.more {
            return Ok(removed);
        }
        if watched {
            context.output.note(format_args!("  {} so far …", count(removed, "message")));
        }
    }
}
