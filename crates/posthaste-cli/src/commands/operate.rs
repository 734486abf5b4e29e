//! `posthaste replay` and `posthaste discard`: the same selection, a dry run by default.

use std::io::{self, IsTerminal};

use posthaste::inspect::{Filter, Job, JobState, Mode, Operation, OperationReport};
use posthaste::message::MessageId;

use crate::clock;
use crate::context::Context;
use crate::exit::Exit;
use crate::operator::{self, JobAnswer, OperationAnswer, Operator};
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
    /// With --yes: make a job of it and leave it to the workers; `posthaste jobs` shows how far it is
    #[arg(long)]
    detach: bool,
    #[command(flatten)]
    selection: Selection,
}

pub async fn execute(context: &Context, operation: Operation, args: &Args) -> anyhow::Result<Exit> {
    let mut filter = args.selection.filter(clock::now());
    filter.ids.extend(&args.ids);
    let operator = context.operator().await?;
    let mode = if args.yes { Mode::Apply } else { Mode::DryRun };
    if args.yes && args.detach {
        return detach(context, &operator, operation, &filter).await;
    }
    let report = if args.yes && args.ids.is_empty() {
        carry_out(context, &operator, operation, &filter).await?
    } else {
        operator.operate(&operator::user(), operation, &filter, mode).await?
    };
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

/// Many deliveries are a job. This command carries it out itself, so it needs no worker; if it is cut off, a worker goes on.
async fn carry_out(
    context: &Context,
    operator: &Operator,
    operation: Operation,
    filter: &Filter,
) -> anyhow::Result<OperationReport> {
    let who = operator::user();
    let watched = io::stderr().is_terminal();
    let job = operator.create_job(&who, operation, filter, None).await?;
    let step = |job: &Job| {
        if watched {
            context.output.note(format_args!("  {} so far …", deliveries(job.affected)));
        }
    };
    let job = operator.carry_out(&format!("{who} (job {})", job.number), job.number, step).await?;
    anyhow::ensure!(
        job.state == JobState::Done,
        "someone stopped job {} after {}",
        job.number,
        deliveries(job.affected)
    );
    Ok(OperationReport { affected: job.affected, not_applicable: job.not_applicable, overtaken: job.overtaken })
}

async fn detach(context: &Context, operator: &Operator, operation: Operation, filter: &Filter) -> anyhow::Result<Exit> {
    let job = operator.create_job(&operator::user(), operation, filter, None).await?;
    if context.output.json {
        context.output.document(&JobAnswer::from(job))?;
        return Ok(Exit::Ok);
    }
    context.output.line(format_args!("Job {} is on record.", job.number))?;
    context.output.note(hint(context, operator, Mode::Apply).await?);
    Ok(Exit::Ok)
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
