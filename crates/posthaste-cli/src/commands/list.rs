//! `posthaste list`: deliveries, filtered.

use posthaste::inspect::{Listed, Page, Status};
use posthaste::journal::Position;

use crate::clock;
use crate::context::Context;
use crate::exit::Exit;
use crate::health;
use crate::output::paint::Hue;
use crate::output::table::{Field, Table};
use crate::output::{plain, when};
use crate::selection::{Selection, position};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many to show at most
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Only what comes after this position
    #[arg(long, value_name = "POSITION", value_parser = position)]
    after: Option<Position>,
    #[command(flatten)]
    selection: Selection,
}

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let operator = context.operator().await?;
    let now = clock::now();
    let after = args.after.unwrap_or(Position::START);
    let page = operator.list(&args.selection.filter(now), Page::after(after, args.limit as usize), None).await?;
    if context.output.json {
        page.rows.iter().try_for_each(|row| context.output.document(row))?;
        return Ok(Exit::Ok);
    }
    if page.rows.is_empty() {
        context.output.note("Nothing matches.");
        return Ok(Exit::Ok);
    }
    context.output.table(&table(&page.rows, now))?;
    if page.rows.iter().any(|row| row.status == Some(Status::Paused)) {
        for counts in operator.overview().await?.destinations {
            for pause in &counts.paused_tenants {
                context.output.note(format_args!("\nTenant {}.", health::paused_tenant(&counts.destination, pause)));
            }
        }
    }
    if let Some(next) = page.next {
        context.output.note(format_args!("\nThere is more: --after {next} goes on, --limit N shows more at once."));
    }
    Ok(Exit::Ok)
}

fn table(rows: &[Listed], now: jiff::Timestamp) -> Table {
    let mut table = Table::new([
        ">POSITION",
        "ID",
        "EVENT TYPE",
        "KEY",
        "DESTINATION",
        "STATUS",
        ">ATTEMPTS",
        "OCCURRED",
        "NEXT",
        "ERROR",
    ]);
    for row in rows {
        table.row([
            Field::from(row.position),
            Field::from(row.id),
            Field::from(&row.event_type),
            Field::from(plain::cut(row.key.as_deref().unwrap_or("-"), 40)),
            Field::from(row.destination.as_deref().unwrap_or("-")),
            status(row.status),
            Field::attempts(row.attempts),
            Field::from(when::relative(row.occurred_at, now)),
            Field::from(row.due_at.map_or("-".into(), |due| when::relative(due, now))),
            Field::from(row.error.as_deref().map_or(String::new(), |error| plain::cut(error, 60))),
        ]);
    }
    table
}

/// A status in its colour.
pub fn status(status: Option<Status>) -> Field {
    match status {
        None => Field::from("no route").hue(Hue::Bad),
        Some(status) => Field::from(status.as_str()).hue(hue(status)),
    }
}

pub fn hue(status: Status) -> Hue {
    match status {
        Status::Delivered => Hue::Good,
        Status::Dead => Hue::Bad,
        Status::Discarding | Status::Discarded => Hue::Quiet,
        Status::Retrying | Status::Waiting | Status::Throttled | Status::Paused | Status::Awaiting => Hue::Waiting,
        Status::Pending | Status::Scheduled | Status::Replay => Hue::Strong,
    }
}
