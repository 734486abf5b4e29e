//! What the demo says before and after: what to expect, the proof, and where to look further.

use posthaste::inspect::Listed;

use super::folder::Folder;
use super::proof::{Part, Proof};
use crate::output::paint::Hue;
use crate::output::table::{Field, Table};
use crate::output::{Output, count, thousands};

pub fn introduce(output: Output, orders: u32, dashboard: Option<&str>) -> anyhow::Result<()> {
    if output.json {
        return Ok(());
    }
    let (orders, events) = (thousands(orders.into()), thousands(u64::from(orders) * 3));
    output.line(format_args!(
        "\
An order service writes {orders} orders and their {events} events: created, paid, shipped, each in one SQLite transaction.
A relay delivers every event to two destinations:
  ledger     a handler inside this process; one payment in twenty fails at its first attempt
  warehouse  a receiver behind a socket; it is down for three seconds, and refuses one order in fifty for good
"
    ))?;
    if let Some(url) = dashboard {
        output.line(format_args!("Watch it in a browser: {}\n", output.paint.bold(url)))?;
    }
    Ok(())
}

/// With `--keep`: what is still there.
pub fn leave_up(output: Output, dashboard: Option<&str>) -> anyhow::Result<()> {
    if !output.json {
        let place = dashboard.map_or(String::new(), |url| format!(" The dashboard is at {url}"));
        output.line(format_args!(
            "\nRelay and warehouse go on, with some orders a second, until you press Ctrl-C.{place}"
        ))?;
    }
    Ok(())
}

/// The proof, and what to look at afterwards; `dead` is one dead delivery.
pub fn tell(output: Output, proof: &Proof, folder: &Folder, dead: Option<&Listed>) -> anyhow::Result<()> {
    if output.json {
        return Ok(output.document(&proof.totals)?);
    }
    output.line(format_args!("\n{}\n", output.paint.bold("The proof, from the receivers' own records")))?;
    output.table(&table(&proof.parts))?;
    output.blank()?;
    for (holds, text) in claims(proof) {
        let mark = if holds { output.paint.green("✓") } else { output.paint.red("✗") };
        output.line(format_args!("{mark} {text}"))?;
    }
    let result =
        if proof.holds() { output.paint.green("The proof holds.") } else { output.paint.red("The proof FAILS.") };
    output.line(format_args!("\n{result} {:.1} s in all.", proof.totals.seconds))?;
    look_further(output, folder, dead)
}

fn table(parts: &[Part]) -> Table {
    let mut table = Table::new([
        "DESTINATION",
        ">COMMITTED",
        ">DELIVERED",
        ">DEAD",
        ">LOST",
        ">OUT OF ORDER",
        ">INVENTED",
        ">DUPLICATES",
    ]);
    for part in parts {
        table.row([
            Field::from(part.destination),
            Field::number(part.committed),
            Field::number(part.delivered),
            Field::number(part.dead),
            Field::alarming(part.lost, Hue::Bad),
            Field::alarming(part.order_violations, Hue::Bad),
            Field::alarming(part.invented, Hue::Bad),
            Field::number(part.duplicates),
        ]);
    }
    table
}

fn claims(proof: &Proof) -> Vec<(bool, String)> {
    let totals = &proof.totals;
    let sum = |field: fn(&Part) -> u64| proof.parts.iter().map(field).sum::<u64>();
    let duplicates = match totals.duplicates {
        0 => "No duplicates this time. There may be some: an outage can cut off an answer, and delivery is at least once.".into(),
        some => format!(
            "{}: the outage cut off an answer, and unknown counts as not delivered. Consumers drop them by id.",
            count(some, "duplicate")
        ),
    };
    vec![
        (totals.lost == 0, "Nothing lost: every committed event was delivered, or is dead with its reason.".into()),
        (
            sum(|part| part.invented) == 0,
            format!("Nothing invented: {} left no trace.", count(proof.rolled_back, "rolled-back event")),
        ),
        (
            totals.order_violations == 0,
            "In order: created, paid, shipped, for every order, through retries and outage.".into(),
        ),
        (
            sum(|part| part.wrongly_dead) == 0,
            format!(
                "Dead are exactly the {} poisoned ones; no delivery died of the outage.",
                thousands(totals.dead_expected)
            ),
        ),
        (true, duplicates),
    ]
}

fn look_further(output: Output, folder: &Folder, dead: Option<&Listed>) -> anyhow::Result<()> {
    let program = std::env::args().next().unwrap_or_else(|| "posthaste".into());
    let config = folder.config();
    output.line("\nLook further:")?;
    let commands = [
        Some("status".into()),
        Some("list --status dead --limit 5".into()),
        dead.map(|dead| format!("explain {}", dead.id)),
        dead.map(|dead| format!("show {} --payload", dead.id)),
        dead.map(|dead| format!("history {}/{}", dead.aggregate_type, dead.aggregate_id)),
        Some("replay --status dead".into()),
    ];
    for command in commands.into_iter().flatten() {
        output.line(format_args!("  {program} -c {} {command}", config.display()))?;
    }
    output.line(format_args!("\nEverything is in {}; remove it when you are done.", folder.path().display()))?;
    Ok(())
}
