//! `posthaste history TYPE/ID`: what happened to one aggregate.

use posthaste::inspect::Listed;

use super::list;
use crate::context::Context;
use crate::exit::Exit;
use crate::output::table::{Field, Table};
use crate::output::{plain, when};
use crate::selection;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Type and id, as in order/4711
    #[arg(value_name = "TYPE/ID", value_parser = selection::aggregate)]
    aggregate: (String, String),
    /// Only of this tenant
    #[arg(long)]
    tenant: Option<String>,
}

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let operator = context.operator().await?;
    let (kind, id) = &args.aggregate;
    let rows = operator.history(kind, id, args.tenant.as_deref()).await?;
    if context.output.json {
        rows.iter().try_for_each(|row| context.output.document(row))?;
    } else if rows.is_empty() {
        context.output.note(format_args!("No event of {kind}/{id} is kept: it has none, or they were purged."));
    } else {
        context.output.table(&table(&rows))?;
    }
    Ok(if rows.is_empty() { Exit::NotWell } else { Exit::Ok })
}

/// One row per delivery; what belongs to the event itself is said once.
fn table(rows: &[Listed]) -> Table {
    let mut table =
        Table::new([">POSITION", "OCCURRED", "EVENT TYPE", "ID", "DESTINATION", "STATUS", ">ATTEMPTS", "ERROR"]);
    let mut before = None;
    for row in rows {
        let first = before != Some(row.position);
        before = Some(row.position);
        let once = |text: String| if first { text } else { String::new() };
        table.row([
            Field::from(once(row.position.to_string())),
            Field::from(once(when::at(row.occurred_at))),
            Field::from(once(row.event_type.clone())),
            Field::from(once(row.id.to_string())),
            Field::from(row.destination.as_deref().unwrap_or("-")),
            list::status(row.status),
            Field::attempts(row.attempts),
            Field::from(row.error.as_deref().map_or(String::new(), |error| plain::cut(error, 60))),
        ]);
    }
    table
}
