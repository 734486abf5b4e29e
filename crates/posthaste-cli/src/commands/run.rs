//! `posthaste run`: a relay, until it is told to stop.

use std::pin::pin;
#[cfg(feature = "otlp")]
use std::sync::Arc;

use posthaste::Relay;
use posthaste::error::full_text;
use posthaste::inspect::Problem;
use posthaste::relay::{self, Monitor};
use posthaste::store::Store;
use tokio::sync::Notify;

use self::patience::patiently;
use self::reload::Reload;
use self::signals::{Signal, Signals};
use crate::config::Plan;
use crate::context::Context;
use crate::exit::{Exit, Misuse};
use crate::logging;
use crate::store;

mod patience;
mod reload;
mod signals;

/// What ended a relay, and so what comes next.
enum End {
    /// It was told to stop, and has.
    Stopped,
    /// It was told twice.
    Interrupted,
    /// The config was read again: another relay takes over.
    Reloaded(Box<Plan>),
}

pub async fn execute(context: &Context) -> anyhow::Result<Exit> {
    let mut plan = context.plan()?;
    let mut signals = Signals::new()?;
    check(&plan)?;
    let level = logging::for_relay(&plan.log, context.verbose);
    let Some(store) = patiently(&mut signals, || store::open(&plan.store)).await? else { return Ok(Exit::Ok) };
    let monitor = Monitor::default();
    let server = Server::start(&plan, &store, &monitor).await?;
    let Some(problems) = patiently(&mut signals, || store.check()).await? else { return Ok(Exit::Ok) };
    heed(&problems)?;
    let spans = Spans::start(&plan)?;
    loop {
        tracing::info!(worker = %plan.relay.worker, destinations = plan.destinations.len(), "relay starts");
        let relay = relay(&plan, &store, &monitor, &spans)?;
        match run(relay, &plan, context, &mut signals, &server).await? {
            End::Stopped => break,
            End::Interrupted => return Ok(Exit::Interrupted),
            End::Reloaded(new) => plan = *new,
        }
        level.set(&plan.log.level);
        server.reloaded(&plan, &store);
    }
    spans.stop().await;
    tracing::info!("relay stopped");
    Ok(Exit::Ok)
}

/// Runs one relay to its end, and listens to signals meanwhile.
async fn run(
    relay: Relay,
    plan: &Plan,
    context: &Context,
    signals: &mut Signals,
    server: &Server,
) -> anyhow::Result<End> {
    let stop = Notify::new();
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
        match (signal, &end) {
            (Signal::Stop, Some(End::Stopped)) => {
                tracing::info!("told twice: ending at once");
                return Ok(End::Interrupted);
            }
            (Signal::Stop, _) => {
                tracing::info!("told to stop: finishing what is in flight, a second signal ends at once");
                server.stopping();
                end = Some(End::Stopped);
                stop.notify_one();
            }
            (Signal::Reload, Some(_)) => tracing::warn!("told to read the config again while ending; try again later"),
            (Signal::Reload, None) => match Reload::read(context, plan) {
                Ok(new) => {
                    end = Some(End::Reloaded(Box::new(new.announce())));
                    stop.notify_one();
                }
                Err(error) => {
                    let error = full_text(error.as_ref());
                    tracing::error!("the config cannot be used, and nothing was changed: {error}");
                }
            },
        }
    }
}

fn check(plan: &Plan) -> Result<(), Misuse> {
    if plan.destinations.is_empty() {
        let says = "the config has no destinations, so there is nothing to do: add a [destinations.NAME]";
        return Err(Misuse(says.into()));
    }
    Ok(())
}

/// Says what a person should know, and does not start where that would do harm.
fn heed(problems: &[Problem]) -> anyhow::Result<()> {
    for problem in problems {
        anyhow::ensure!(!problem.refuses, "{}", problem.text);
        tracing::warn!("{}", problem.text);
    }
    Ok(())
}

fn relay(plan: &Plan, store: &Arc<dyn Store>, monitor: &Monitor, spans: &Spans) -> anyhow::Result<Relay> {
    let mut builder = Relay::builder(store.clone()).settings(plan.relay.clone()).monitor(monitor.clone());
    for planned in &plan.destinations {
        let Some(sink) = planned.sink.open() else {
            anyhow::bail!("the sink of {} cannot be opened", planned.destination.name);
        };
        builder = builder.destination(planned.destination.clone(), sink);
    }
    Ok(spans.of(builder).build())
}

/// The HTTP side, if the config has it.
#[cfg(feature = "http")]
struct Server(Option<crate::http::Server>);

#[cfg(feature = "http")]
impl Server {
    async fn start(plan: &Plan, store: &Arc<dyn Store>, monitor: &Monitor) -> anyhow::Result<Self> {
        let Some(http) = &plan.http else { return Ok(Self(None)) };
        let operator = crate::operator::Operator::new(plan, store);
        let server = crate::http::Server::start(http, operator, monitor.clone()).await?;
        tracing::info!(address = %server.address, "HTTP server listens");
        Ok(Self(Some(server)))
    }

    fn stopping(&self) {
        self.0.iter().for_each(|server| server.app.stopping());
    }

    fn reloaded(&self, plan: &Plan, store: &Arc<dyn Store>) {
        self.0.iter().for_each(|server| server.app.replace(crate::operator::Operator::new(plan, store)));
    }
}

/// There is none in this program, which a config that has one was told.
#[cfg(not(feature = "http"))]
struct Server;

#[cfg(not(feature = "http"))]
impl Server {
    async fn start(_: &Plan, _: &Arc<dyn Store>, _: &Monitor) -> anyhow::Result<Self> {
        std::future::ready(Ok(Self)).await
    }

    fn stopping(&self) {}

    fn reloaded(&self, _: &Plan, _: &Arc<dyn Store>) {}
}

/// Where spans go, if the config has it.
#[cfg(feature = "otlp")]
struct Spans(Option<crate::otlp::Otlp>);

#[cfg(feature = "otlp")]
impl Spans {
    fn start(plan: &Plan) -> anyhow::Result<Self> {
        let start = |otlp| crate::otlp::Otlp::start(otlp, &plan.relay.worker.0);
        Ok(Self(plan.otlp.as_ref().map(start).transpose()?))
    }

    fn of(&self, builder: relay::Builder) -> relay::Builder {
        self.0.iter().fold(builder, |builder, otlp| builder.tracer(Arc::new(otlp.tracer())))
    }

    async fn stop(self) {
        if let Some(otlp) = self.0 {
            otlp.stop().await;
        }
    }
}

/// They are not made by this program, which a config that wants them was told.
#[cfg(not(feature = "otlp"))]
struct Spans;

#[cfg(not(feature = "otlp"))]
impl Spans {
    fn start(_: &Plan) -> anyhow::Result<Self> {
        Ok(Self)
    }

    fn of(&self, builder: relay::Builder) -> relay::Builder {
        builder
    }

    async fn stop(self) {
        std::future::ready(()).await;
    }
}
