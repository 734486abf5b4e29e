//! `posthaste audit`: who changed what.

use posthaste::inspect::AuditEntry;

use crate::clock;
use crate::context::Context;
use crate::exit::Exit;
use crate::output::table::{Field, Table};
use crate::output::{plain, when};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many to show at most, the latest first
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Only entries before this number
    #[arg(long, value_name = "NUMBER")]
    before: Option<u64>,
}

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let entries = context.operator().await?.audit(args.before, args.limit as usize).await?;
    if context.output.json {
        entries.iter().try_for_each(|entry| context.output.document(entry))?;
    } else if entries.is_empty() {
        context.output.note("Nobody has changed anything.");
    } else {
        context.output.table(&table(&entries))?;
    }
    Ok(Exit::Ok)
}

fn table(entries: &[AuditEntry]) -> Table {
    let now = clock::now();
    let mut table = Table::new([">NUMBER", "WHEN", "WHO", "ACTION", ">AFFECTED", "WHAT"]);
    for AuditEntry { number, at, change } in entries {
        table.row([
            Field::from(number),
            Field::from(when::relative(*at, now)),
            Field::from(&change.who),
            Field::from(&change.action),
            Field::number(change.affected),
            Field::from(plain::cut(&change.target, 100)),
        ]);
    }
    table
}
