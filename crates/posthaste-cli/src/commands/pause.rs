//! `posthaste pause DESTINATION` and `posthaste resume DESTINATION`

use crate::context::Context;
use crate::exit::Exit;
use crate::operator::{self, PauseAnswer};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which destination
    destination: String,
}

pub async fn pause(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let name = &args.destination;
    let changed = context.operator().await?.set_paused(&operator::user(), name, true).await?;
    let resume = context.spell(&format!("posthaste resume {name}"));
    let says = if changed {
        format!("{name} is paused: its workers stop within seconds, until `{resume}`.")
    } else {
        format!("{name} was paused already. To let it go on: `{resume}`.")
    };
    answer(context, &PauseAnswer { destination: name, paused: true, changed }, &says)
}

pub async fn resume(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let name = &args.destination;
    let changed = context.operator().await?.set_paused(&operator::user(), name, false).await?;
    let says = if changed { "goes on within seconds." } else { "was not paused." };
    answer(context, &PauseAnswer { destination: name, paused: false, changed }, &format!("{name} {says}"))
}

fn answer(context: &Context, document: &PauseAnswer<'_>, says: &str) -> anyhow::Result<Exit> {
    if context.output.json {
        context.output.document(document)?;
    } else {
        context.output.line(says)?;
    }
    Ok(Exit::Ok)
}
