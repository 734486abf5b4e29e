//! `posthaste explain ID`: why is this not delivered?

use posthaste::message::MessageId;
use serde_json::json;

use crate::context::Context;
use crate::exit::Exit;
use crate::explain::{Cause, Explanation};
use crate::output::paint::Hue;
use crate::selection::message_id;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The message's id
    #[arg(value_parser = message_id)]
    id: MessageId,
}

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let (report, explanations) = context.operator().await?.examine(args.id).await?;
    if context.output.json {
        context.output.document(&json!({ "id": args.id, "explanations": explanations }))?;
        return Ok(Exit::Ok);
    }
    let message = &report.message;
    let paint = context.output.paint;
    let aggregate = format!("{}/{}", message.aggregate_type, message.aggregate_id);
    context.output.line(format_args!(
        "{} of {aggregate}  {}",
        paint.bold(&message.event_type),
        paint.dim(message.id)
    ))?;
    for explanation in &explanations {
        context.output.blank()?;
        write(context, explanation)?;
    }
    Ok(Exit::Ok)
}

/// The summary, its causes below it, and the commands that help.
pub fn write(context: &Context, explanation: &Explanation) -> anyhow::Result<()> {
    let output = context.output;
    let place = explanation.destination.as_ref().map_or(String::new(), |name| format!("{}: ", output.paint.bold(name)));
    output.line(format_args!("{place}{}", output.paint.hue(hue(explanation.cause), &explanation.summary)))?;
    for cause in &explanation.because {
        output.line(format_args!("  · {cause}"))?;
    }
    let commands: Vec<String> =
        explanation.remedies.iter().map(|remedy| context.with_config(&remedy.command)).collect();
    let width = commands.iter().map(|command| command.chars().count()).max().unwrap_or(0);
    for (command, remedy) in commands.iter().zip(&explanation.remedies) {
        output.line(format_args!("  $ {command:width$}  {}", output.paint.dim(format_args!("# {}", remedy.does))))?;
    }
    Ok(())
}

fn hue(cause: Cause) -> Hue {
    match cause {
        Cause::Delivered => Hue::Good,
        Cause::Discarded => Hue::Quiet,
        cause if cause.mends_itself() => Hue::Waiting,
        _ => Hue::Bad,
    }
}
