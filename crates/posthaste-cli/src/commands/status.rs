//! `posthaste status`: the store at a glance, and whether something needs a person.

use posthaste::inspect::{DestinationCounts, Overview, WorkerStatus};

use crate::context::Context;
use crate::exit::Exit;
use crate::health::{self, Problem};
use crate::output::count;
use crate::output::paint::Hue;
use crate::output::table::{Field, Table};

pub async fn execute(context: &Context) -> anyhow::Result<Exit> {
    let status = context.operator().await?.status().await?;
    if context.output.json {
        context.output.document(&status)?;
    } else {
        show(context, &status.overview, &status.problems)?;
    }
    Ok(if status.well { Exit::Ok } else { Exit::NotWell })
}

fn show(context: &Context, overview: &Overview, problems: &[Problem]) -> anyhow::Result<()> {
    let output = context.output;
    if !overview.destinations.is_empty() {
        output.table(&destinations(overview))?;
        output.blank()?;
    }
    if !overview.workers.is_empty() {
        output.table(&workers(&overview.workers))?;
        output.blank()?;
    }
    if !overview.sources.is_empty() {
        output.table(&super::sources::table(&overview.sources))?;
        output.blank()?;
    }
    let is_served = overview.workers.iter().any(|worker| worker.alive);
    let unheld = if is_served && overview.unheld_partitions > 0 {
        format!(", {} of {} partitions held by nobody", overview.unheld_partitions, overview.partitions)
    } else {
        String::new()
    };
    let facts = format!("{} kept{unheld}{}", count(overview.messages, "message"), failovers(overview));
    if problems.is_empty() {
        let idle = if is_served { "" } else { ", nothing waits, and no worker is running" };
        return Ok(output.line(format_args!("{} {facts}{idle}.", output.paint.green("All well:")))?);
    }
    output.line(format_args!("{} ({facts}):", output.paint.red("Needs a person")))?;
    let width = problems.iter().map(|problem| problem.text.chars().count()).max().unwrap_or(0).min(70);
    for Problem { text, command, .. } in problems {
        output.line(format_args!(
            "  ✗ {text:width$}  {}",
            output.paint.dim(format_args!("$ {}", context.with_config(command)))
        ))?;
    }
    Ok(())
}

/// A database that failed over may have lost what was delivered; nobody can mend that, but everybody should know.
fn failovers(overview: &Overview) -> String {
    let failovers =
        overview.figures.iter().find(|figure| figure.name == "failovers").map_or(0.0, |figure| figure.value);
    match failovers as u64 {
        0 => String::new(),
        times => format!(", {} of the database (`posthaste audit` says when)", count(times, "failover")),
    }
}

fn destinations(overview: &Overview) -> Table {
    let mut table = Table::new([
        "DESTINATION",
        ">PENDING",
        ">IN FLIGHT",
        ">RETRYING",
        ">WAITING",
        ">SCHEDULED",
        ">THROTTLED",
        ">PAUSED",
        ">AWAITING",
        ">REPLAY",
        ">DEAD",
        ">OLDEST",
        "STATUS",
    ]);
    for counts in &overview.destinations {
        let in_flight: usize = health::reports(overview, counts).map(|report| report.in_flight).sum();
        table.row([
            Field::from(&counts.destination),
            Field::number(counts.pending).about(counts.estimated),
            Field::number(in_flight as u64),
            Field::alarming(counts.retrying, Hue::Waiting),
            Field::alarming(counts.waiting, Hue::Waiting).about(counts.estimated),
            Field::number(counts.scheduled),
            Field::alarming(counts.throttled, Hue::Waiting),
            Field::alarming(counts.paused_deliveries, Hue::Waiting),
            Field::number(counts.awaiting),
            Field::number(counts.replay),
            Field::alarming(counts.dead, Hue::Bad),
            oldest(counts),
            status(overview, counts),
        ]);
    }
    table
}

fn oldest(counts: &DestinationCounts) -> Field {
    match counts.oldest_pending_seconds.and_then(|seconds| std::time::Duration::try_from_secs_f64(seconds).ok()) {
        Some(age) => Field::from(posthaste::duration::brief(age)),
        None => Field::from("-").hue(Hue::Quiet),
    }
}

fn status(overview: &Overview, counts: &DestinationCounts) -> Field {
    let outage = health::reports(overview, counts).any(|report| report.outage.is_some());
    let served = overview.workers.iter().any(|worker| worker.alive);
    match (counts.paused, outage, served) {
        (true, _, _) => Field::from("paused").hue(Hue::Bad),
        (_, true, _) => Field::from("outage").hue(Hue::Bad),
        (_, _, true) => Field::from("running").hue(Hue::Good),
        _ => Field::from("no worker").hue(Hue::Quiet),
    }
}

fn workers(workers: &[WorkerStatus]) -> Table {
    let mut table = Table::new(["WORKER", ">PARTITIONS", "STATUS"]);
    for worker in workers {
        let status =
            if worker.alive { Field::from("alive").hue(Hue::Good) } else { Field::from("gone").hue(Hue::Quiet) };
        table.row([Field::from(&worker.worker), Field::number(worker.partitions as u64), status]);
    }
    table
}
