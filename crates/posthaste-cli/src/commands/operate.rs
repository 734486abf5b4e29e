//! `posthaste replay` and `posthaste discard`: the same selection, a dry run by default.

use posthaste::inspect::{Mode, Operation, OperationReport};
use posthaste::message::MessageId;

use crate::clock;
use crate::context::Context;
use crate::exit::Exit;
use crate::operator::{self, OperationAnswer, Operator};
use crate::output::{Output, thousands};
use crate::selection::{Selection, message_id};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Messages by id; without any, all that the filters select
    #[arg(value_name = "ID", value_parser = message_id)]
    ids: Vec<MessageId>,
    /// Do it; without this, only count
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    selection: Selection,
}

pub async fn execute(context: &Context, operation: Operation, args: &Args) -> anyhow::Result<Exit> {
    let mut filter = args.selection.filter(clock::now());
    filter.ids.extend(&args.ids);
    let operator = context.operator().await?;
    let mode = if args.yes { Mode::Apply } else { Mode::DryRun };
    let report = operator.operate(&operator::user(), operation, &filter, mode).await?;
    if context.output.json {
        context.output.document(&OperationAnswer::new(operation, mode, report.clone()))?;
    } else {
        answer(context.output, operation, mode, &report)?;
        if report.affected > 0 {
            context.output.note(hint(context, &operator, mode).await?);
        }
    }
    let missed = report.affected == 0 && !args.ids.is_empty();
    Ok(if missed { Exit::NotWell } else { Exit::Ok })
}

fn answer(output: Output, operation: Operation, mode: Mode, report: &OperationReport) -> anyhow::Result<()> {
    let OperationReport { affected, not_applicable, overtaken } = *report;
    let (would, done, leaves) = match operation {
        Operation::Replay => {
            ("Would deliver again", "To be delivered again", "are about to be delivered, or being discarded")
        }
        Operation::Discard => ("Would discard", "Discarded", "are delivered, or not parked"),
    };
    let verb = if mode == Mode::Apply { done } else { would };
    output.line(format_args!("{verb}: {}.", deliveries(affected)))?;
    if not_applicable > 0 {
        output.line(format_args!("Left alone: {}, which {leaves}.", deliveries(not_applicable)))?;
    }
    if overtaken > 0 {
        output.line(format_args!(
            "{} for {} of them, newer messages of the same key were delivered already: consumers get them in the wrong order.",
            output.paint.yellow("Out of order:"),
            thousands(overtaken)
        ))?;
    }
    Ok(())
}

/// What happens now.
async fn hint(context: &Context, operator: &Operator, mode: Mode) -> posthaste::Result<String> {
    if mode == Mode::DryRun {
        return Ok("This was a dry run: --yes does it.".into());
    }
    if operator.overview().await?.workers.iter().any(|worker| worker.alive) {
        return Ok("The workers see it within seconds.".into());
    }
    Ok(format!("No worker is running: `{}` starts one.", context.with_config("posthaste run")))
}

fn deliveries(number: u64) -> String {
    if number == 1 { "1 delivery".into() } else { format!("{} deliveries", thousands(number)) }
}
