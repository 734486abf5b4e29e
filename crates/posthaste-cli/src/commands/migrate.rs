//! `posthaste migrate`: the journal, created or brought up to date.

use serde_json::json;

use crate::context::Context;
use crate::exit::Exit;
use crate::store;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Accept a database that was restored, recovered or failed over to; stop all relays first
    #[arg(long)]
    accept_store: bool,
}

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let plan = context.plan()?;
    crate::logging::for_commands(context.verbose);
    let store = store::migrate(&plan.store).await?;
    if args.accept_store {
        store.accept().await?;
    }
    let partitions = store.partitions().await?;
    let (output, place) = (context.output, plan.store.place());
    if output.json {
        output.document(&json!({ "store": place, "partitions": partitions }))?;
        return Ok(Exit::Ok);
    }
    output.line(format_args!("The journal in {place} is ready: {partitions} partitions."))?;
    if partitions != plan.store.partitions {
        let wanted = plan.store.partitions;
        output.note(format_args!("The config says {wanted}, but the number is fixed by the first migration."));
    }
    Ok(Exit::Ok)
}
