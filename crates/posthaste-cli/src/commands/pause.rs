//! `posthaste pause DESTINATION` and `posthaste resume DESTINATION`

use posthaste::destination::Name;
use posthaste::inspect::{Inspect, Overview};
use serde_json::json;

use crate::context::Context;
use crate::exit::{Exit, Misuse};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which destination
    destination: String,
}

pub async fn pause(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let (_, store) = context.open().await?;
    let name = known(&*store.inspect, &args.destination).await?;
    let changed = store.inspect.pause(&name).await?;
    let resume = context.spell(&format!("posthaste resume {name}"));
    let says = if changed {
        format!("{name} is paused: its workers stop within seconds, until `{resume}`.")
    } else {
        format!("{name} was paused already. To let it go on: `{resume}`.")
    };
    answer(context, &name, true, changed, &says)
}

pub async fn resume(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let (_, store) = context.open().await?;
    let name = known(&*store.inspect, &args.destination).await?;
    let changed = store.inspect.resume(&name).await?;
    let says = if changed { "goes on within seconds." } else { "was not paused." };
    answer(context, &name, false, changed, &format!("{name} {says}"))
}

/// A typing mistake must not look like a pause.
async fn known(inspect: &dyn Inspect, wanted: &str) -> anyhow::Result<Name> {
    let Overview { destinations, .. } = inspect.overview().await?;
    if destinations.iter().any(|counts| counts.destination == wanted) {
        return Ok(Name::from(wanted));
    }
    let names: Vec<_> = destinations.into_iter().map(|counts| counts.destination).collect();
    Err(Misuse(match names.as_slice() {
        [] => format!("no destination is called {wanted}: no relay has run on this store yet"),
        some => format!("no destination is called {wanted}: there is {}", some.join(", ")),
    })
    .into())
}

fn answer(context: &Context, name: &Name, paused: bool, changed: bool, says: &str) -> anyhow::Result<Exit> {
    if context.output.json {
        context.output.document(&json!({ "destination": name, "paused": paused, "changed": changed }))?;
    } else {
        context.output.line(says)?;
    }
    Ok(Exit::Ok)
}
