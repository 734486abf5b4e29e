//! `posthaste check`: whether everything works.

use std::sync::Arc;

use futures_util::StreamExt;
use posthaste::error::{Error, Kind};
use posthaste::inspect::Problem;
use posthaste::sink::Sink;
use posthaste::store::Store;
use serde::Serialize;

use crate::config::{DestinationPlan, Plan, SourcePlan};
use crate::context::Context;
use crate::exit::Exit;
use crate::output::{Output, plain};
use crate::store;

/// Destinations that are asked at the same time: one that does not answer holds up no other.
const AT_ONCE: usize = 32;

/// One thing that was checked, and the result.
#[derive(Debug, Serialize)]
struct Check {
    /// The config, the store, the journal, a destination or the collector.
    what: String,
    ok: bool,
    text: String,
    /// What to do, if the text does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Check {
    fn new(what: impl Into<String>, result: Result<String, String>) -> Self {
        let ok = result.is_ok();
        Self { what: what.into(), ok, text: result.unwrap_or_else(|problem| problem), remedy: None }
    }

    /// Adds what to do if it failed.
    fn or_remedy(self, remedy: impl FnOnce() -> String) -> Self {
        Self { remedy: (!self.ok).then(remedy), ..self }
    }
}

#[derive(Serialize)]
struct Answer<'a> {
    ok: bool,
    checks: &'a [Check],
}

pub async fn execute(context: &Context) -> anyhow::Result<Exit> {
    crate::logging::for_commands(context.verbose);
    let checks = check(context).await;
    let ok = checks.iter().all(|check| check.ok);
    if context.output.json {
        context.output.document(&Answer { ok, checks: &checks })?;
    } else {
        show(context.output, &checks)?;
    }
    Ok(if ok { Exit::Ok } else { Exit::NotWell })
}

/// Checks everything that can be checked: destinations are tried even if the store cannot be opened.
async fn check(context: &Context) -> Vec<Check> {
    let plan = match context.plan() {
        Ok(plan) => plan,
        Err(error) => return vec![Check::new("config", Err(error.to_string()))],
    };
    let destinations = futures_util::stream::iter(&plan.destinations).map(destination).buffered(AT_ONCE);
    let sources = futures_util::stream::iter(&plan.sources).map(source).buffered(AT_ONCE);
    let (store, destinations, sources, collector) =
        tokio::join!(store(&plan), destinations.collect::<Vec<_>>(), sources.collect::<Vec<_>>(), collector(&plan));
    [config(&plan)].into_iter().chain(store).chain(destinations).chain(sources).chain(collector).collect()
}

async fn source(planned: &SourcePlan) -> Check {
    let (name, kind) = (&planned.feed.name, planned.source.kind);
    let reached = match planned.source.open() {
        Some(source) => source.check().await.map_err(|error| plain::line(&error.to_string())),
        None => Err("this program cannot open it".into()),
    };
    Check::new(format!("source {name}"), reached.map(|()| "can be read".into())).or_remedy(|| {
        format!("is it up, and does it let this program in? Address and login are in [sources.{name}.{kind}]")
    })
}

async fn destination(planned: &DestinationPlan) -> Check {
    let (name, kind) = (&planned.destination.name, planned.sink.kind);
    let reached = match planned.sink.open() {
        Some(sink) => reach(&*sink).await,
        None => Err("this program cannot open its sink".into()),
    };
    Check::new(format!("destination {name}"), reached).or_remedy(|| {
        format!("is it up, and does it let this program in? Address and login are in [destinations.{name}.{kind}]")
    })
}

/// Whether a destination can be reached, and what else its sink has to say about it.
async fn reach(sink: &dyn Sink) -> Result<String, String> {
    sink.check().await.map_err(|error| plain::line(error.text()))?;
    let lines = sink.describe().await.into_iter().map(|line| format!("\n{}", plain::line(&line)));
    Ok(format!("can be reached{}", lines.collect::<String>()))
}

/// The collector that gets the spans, if the config has one.
#[cfg(feature = "otlp")]
async fn collector(plan: &Plan) -> Option<Check> {
    let otlp = plan.otlp.as_ref()?;
    let check = Check::new("otlp", crate::otlp::check(otlp).await.map(|()| "takes spans".into()));
    Some(check.or_remedy(|| "is it up, and does it let this program in? Address and headers are in [otlp]".into()))
}

#[cfg(not(feature = "otlp"))]
async fn collector(_: &Plan) -> Option<Check> {
    std::future::ready(None).await
}

fn config(plan: &Plan) -> Check {
    let result = match plan.destinations.len() {
        0 => Err("has no destinations, so `posthaste run` would have nothing to do: add a [destinations.NAME]".into()),
        1 => Ok("1 destination".into()),
        count => Ok(format!("{count} destinations")),
    };
    Check::new("config", result)
}

async fn store(plan: &Plan) -> Vec<Check> {
    let store = match store::open(&plan.store).await {
        Ok(store) => store,
        Err(error) => return vec![no_store(&error)],
    };
    let configured = plan.store.partitions;
    let journal = match store.partitions().await {
        Ok(partitions) if partitions == configured => Ok(format!("up to date, {partitions} partitions")),
        Ok(partitions) => Ok(format!(
            "up to date, {partitions} partitions (the config has {configured}, which only counts for a new journal)"
        )),
        Err(error) if matches!(error.kind(), Kind::Unavailable | Kind::Denied) => return vec![no_store(&error)],
        Err(error) => Err(error.to_string()),
    };
    let mut checks = vec![Check::new("store", Ok(plan.store.place())), Check::new("journal", journal)];
    checks.extend(problems(&store).await);
    checks
}

fn no_store(error: &Error) -> Check {
    let check = Check::new("store", Err(error.to_string()));
    match error.kind() {
        Kind::Unavailable => check.or_remedy(|| "is it up, and is its address in [store] right?".into()),
        Kind::Denied => {
            check.or_remedy(|| "check the user, the password and the name of the database in [store]".into())
        }
        _ => check,
    }
}

/// What the store itself reports. A warning does not fail the check; what keeps a relay from starting does. A store that cannot be
/// asked has failed a check before this one.
async fn problems(store: &Arc<dyn Store>) -> Vec<Check> {
    let problems = store.check().await.unwrap_or_default();
    let check = |problem: Problem| match problem.refuses {
        true => Check::new("store", Err(problem.text)),
        false => Check::new("store", Ok(format!("warning: {}", problem.text))),
    };
    problems.into_iter().map(check).collect()
}

fn show(output: Output, checks: &[Check]) -> anyhow::Result<()> {
    let width = checks.iter().map(|check| check.what.len()).max().unwrap_or(0);
    for check in checks {
        let mark = if check.ok { output.paint.green("✓") } else { output.paint.red("✗") };
        let mut lines = check.text.lines().chain(check.remedy.as_deref());
        output.line(format_args!("{mark} {:width$}  {}", check.what, lines.next().unwrap_or_default()))?;
        for line in lines.filter(|line| !line.is_empty()) {
            output.line(format_args!("{:width$}    {line}", ""))?;
        }
    }
    Ok(())
}
