//! `posthaste purge`: old delivered messages, removed by hand.

use std::io::{self, IsTerminal};
use std::time::Duration;

use crate::context::Context;
use crate::exit::Exit;
use crate::operator::{self, PurgeAnswer};
use crate::output::count;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only messages older than this [default: retention.keep of the config]
    #[arg(long, value_name = "DURATION", value_parser = posthaste::duration::parse)]
    older_than: Option<Duration>,
    /// Do it; without this, only count
    #[arg(long)]
    yes: bool,
}

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let operator = context.operator().await?;
    let older_than = operator.purge_age(args.older_than)?;
    let output = context.output;
    let watched = io::stderr().is_terminal();
    let step = |removed| {
        if watched {
            output.note(format_args!("  {} so far …", count(removed, "message")));
        }
    };
    let removed = if args.yes { operator.purge(&operator::user(), older_than, step).await? } else { 0 };
    let removable = if args.yes { removed } else { operator.purgeable(older_than).await? };
    if output.json {
        output.document(&PurgeAnswer { messages: removable, removed, dry_run: !args.yes })?;
        return Ok(Exit::Ok);
    }
    let age = posthaste::duration::brief(older_than);
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
