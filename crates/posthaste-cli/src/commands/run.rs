//! `posthaste run`: a relay, until it is told to stop.

use std::pin::pin;
use std::sync::Arc;

use posthaste::Relay;
use posthaste::error::full_text;
use posthaste::inspect::Problem;
use posthaste::relay::Monitor;
use posthaste::store::Store;
use tokio::sync::Notify;

use self::notices::Notices;
use self::reload::Reload;
use self::server::Server;
use self::signals::{Signal, Signals};
use self::spans::Spans;
use self::wait_for_store::wait_for_store;
use crate::config::Plan;
use crate::context::Context;
use crate::exit::{Exit, Misuse};
use crate::logging;
use crate::store;

mod notices;
mod reload;
mod server;
pub(super) mod signals;
mod spans;
mod wait_for_store;

/// What ended a relay, and so what comes next.
enum End {
    /// It was told to stop, and has stopped.
    Stopped,
    /// It was told to stop twice.
    Interrupted,
    /// The config was read again: another relay takes over.
    Reloaded(Box<Plan>),
}

pub async fn execute(context: &Context) -> anyhow::Result<Exit> {
    let plan = context.plan()?;
    let mut signals = Signals::new()?;
    check(&plan)?;
    let level = logging::for_relay(&plan.log, context.verbose);
    let Some(store) = wait_for_store(&mut signals, || store::open(&plan.store)).await? else { return Ok(Exit::Ok) };
    let monitor = Monitor::default();
    let server = Server::start(&plan, &store, &monitor).await?;
    let Some(problems) = wait_for_store(&mut signals, || store.check()).await? else { return Ok(Exit::Ok) };
    refuse_or_warn(&problems)?;
    let spans = Spans::start(&plan)?;
    let program = Program { context, store, monitor, level, server, spans };
    let exit = program.relays(plan, &mut signals).await?;
    if exit == Exit::Ok {
        program.spans.stop().await;
        tracing::info!("relay stopped");
    }
    Ok(exit)
}

/// Does not start where that would do harm, and logs what a person should know.
fn refuse_or_warn(problems: &[Problem]) -> anyhow::Result<()> {
    for problem in problems {
        anyhow::ensure!(!problem.refuses, "{}", problem.text);
        tracing::warn!("{}", problem.text);
    }
    Ok(())
}

fn check(plan: &Plan) -> Result<(), Misuse> {
    if plan.destinations.is_empty() && plan.sources.is_empty() {
        let text = "the config has no destinations, so there is nothing to do: add a [destinations.NAME]";
        return Err(Misuse(text.into()));
    }
    Ok(())
}

/// What outlives a relay when the config is read again.
struct Program<'a> {
    context: &'a Context,
    store: Arc<dyn Store>,
    monitor: Monitor,
    level: logging::Level,
    server: Server,
    spans: Spans,
}

impl Program<'_> {
    /// Runs one relay after another, each with the config as it was last read.
    async fn relays(&self, mut plan: Plan, signals: &mut Signals) -> anyhow::Result<Exit> {
        loop {
            tracing::info!(worker = %plan.relay.worker, destinations = plan.destinations.len(), "relay starts");
            match self.run(self.relay(&plan)?, &plan, signals).await? {
                End::Stopped => return Ok(Exit::Ok),
                End::Interrupted => return Ok(Exit::Interrupted),
                End::Reloaded(new) => plan = *new,
            }
            self.level.set(&plan.log.level);
            self.server.reloaded(&plan, &self.store);
        }
    }

    fn relay(&self, plan: &Plan) -> anyhow::Result<Relay> {
        let builder = Relay::builder(self.store.clone()).settings(plan.relay.clone()).monitor(self.monitor.clone());
        let mut builder = self.spans.of(builder);
        for planned in &plan.destinations {
            let Some(sink) = planned.sink.open() else {
                anyhow::bail!("the sink of {} cannot be opened", planned.destination.name);
            };
            builder = builder.destination(planned.destination.clone(), sink);
        }
        for planned in &plan.sources {
            let Some(source) = planned.source.open() else {
                anyhow::bail!("the source {} cannot be opened", planned.feed.name);
            };
            builder = builder.source(planned.feed.clone(), source, planned.map.mapper.clone());
        }
        Ok(builder.build())
    }

    /// Runs one relay to its end, and listens to signals meanwhile.
    async fn run(&self, relay: Relay, plan: &Plan, signals: &mut Signals) -> anyhow::Result<End> {
        let stop = Notify::new();
        let _notices = Notices::start(plan, &self.store);
        let mut running = pin!(relay.run(stop.notified()));
        let mut end = None;
        loop {
            let signal = tokio::select! {
                ended = &mut running => {
                    ended?;
                    return Ok(end.unwrap_or(End::Stopped));
                }
                signal = signals.next() => signal,
            };
            match self.on(signal, end.as_ref(), plan) {
                Some(End::Interrupted) => return Ok(End::Interrupted),
                Some(next) => {
                    end = Some(next);
                    stop.notify_one();
                }
                None => {}
            }
        }
    }

    /// How the relay should end because of a signal; `None` if it goes on as before.
    fn on(&self, signal: Signal, ending: Option<&End>, plan: &Plan) -> Option<End> {
        match (signal, ending) {
            (Signal::Stop, Some(End::Stopped)) => {
                tracing::info!("told to stop twice: ending at once");
                Some(End::Interrupted)
            }
            (Signal::Stop, _) => {
                tracing::info!("told to stop: finishing what is in flight, a second signal ends at once");
                self.server.stopping();
                Some(End::Stopped)
            }
            (Signal::Reload, Some(_)) => {
                tracing::warn!("told to read the config again while ending; try again later");
                None
            }
            (Signal::Reload, None) => match Reload::read(self.context, plan) {
                Ok(new) => Some(End::Reloaded(Box::new(new.announce()))),
                Err(error) => {
                    let error = full_text(error.as_ref());
                    tracing::error!("the config cannot be used, and nothing was changed: {error}");
                    None
                }
            },
        }
    }
}
