//! `posthaste pause DESTINATION` and `posthaste resume DESTINATION`

use crate::context::Context;
use crate::exit::Exit;
use crate::operator::{self, PauseAnswer};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The name of the destination
    destination: String,
}

pub async fn pause(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let name = &args.destination;
    let changed = context.operator().await?.set_paused(&operator::user(), name, true).await?;
    let resume = context.with_config(&format!("posthaste resume {name}"));
    let text = if changed {
        format!("{name} is paused: its workers stop within seconds, until `{resume}`.")
    } else {
        format!("{name} was paused already, until `{resume}`.")
    };
    answer(context, &PauseAnswer { destination: name, paused: true, changed }, &text)
}

pub async fn resume(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let name = &args.destination;
    let changed = context.operator().await?.set_paused(&operator::user(), name, false).await?;
    let text = if changed { "goes on within seconds." } else { "was not paused." };
    answer(context, &PauseAnswer { destination: name, paused: false, changed }, &format!("{name} {text}"))
}

fn answer(context: &Context, document: &PauseAnswer<'_>, text: &str) -> anyhow::Result<Exit> {
    if context.output.json {
        context.output.document(document)?;
    } else {
        context.output.line(text)?;
    }
    Ok(Exit::Ok)
}
