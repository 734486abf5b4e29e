//! `posthaste run`: a relay, until it is told to stop.

use posthaste::Relay;
use posthaste::inspect::Finding;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;

use crate::config::Plan;
use crate::context::Context;
use crate::exit::{Exit, Misuse};
use crate::logging;
use crate::store::Store;

pub async fn execute(context: &Context) -> anyhow::Result<Exit> {
    let plan = context.plan()?;
    if plan.destinations.is_empty() {
        let says = "the config has no destinations, so there is nothing to do: add a [destinations.NAME]";
        return Err(Misuse(says.into()).into());
    }
    logging::for_relay(&plan.log, context.verbose);
    let store = Store::open(&plan.store).await?;
    heed(&store.findings().await?)?;
    let relay = relay(&plan, &store)?;
    tracing::info!(worker = %plan.relay.worker, destinations = plan.destinations.len(), "relay starts");
    let stop = Notify::new();
    tokio::select! {
        ended = relay.run(stop.notified()) => ended?,
        impatient = two_signals(&stop) => return impatient.map(|()| Exit::Interrupted),
    }
    tracing::info!("relay stopped");
    Ok(Exit::Ok)
}

/// Says what a person should know, and does not start where that would do harm.
fn heed(findings: &[Finding]) -> anyhow::Result<()> {
    for finding in findings {
        anyhow::ensure!(!finding.refuses, "{}", finding.says);
        tracing::warn!("{}", finding.says);
    }
    Ok(())
}

fn relay(plan: &Plan, store: &Store) -> anyhow::Result<Relay> {
    let mut builder = Relay::builder(store.journal.clone()).settings(plan.relay.clone());
    for planned in &plan.destinations {
        let Some(sink) = planned.sink.open() else {
            anyhow::bail!("the sink of {} cannot be opened", planned.destination.name);
        };
        builder = builder.destination(planned.destination.clone(), sink);
    }
    Ok(builder.build())
}

/// Passes the first SIGTERM or SIGINT on; ready at the second one.
async fn two_signals(stop: &Notify) -> anyhow::Result<()> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    for told in
        ["told to stop: finishing what is in flight, a second signal ends at once", "told twice: ending at once"]
    {
        let _ = tokio::select! { signal = terminate.recv() => signal, signal = interrupt.recv() => signal };
        tracing::info!("{told}");
        stop.notify_one();
    }
    Ok(())
}
