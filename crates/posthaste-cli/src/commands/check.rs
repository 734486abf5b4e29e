//! `posthaste check`: does everything work?

use std::sync::Arc;

use futures_util::StreamExt;
use posthaste::error::{Error, Kind};
use posthaste::inspect::Problem;
use posthaste::store::Store;
use serde::Serialize;

use crate::config::{DestinationPlan, Plan};
use crate::context::Context;
use crate::exit::Exit;
use crate::output::{Output, plain};
use crate::store;

/// Destinations that are asked at the same time: one that does not answer holds up no other.
const AT_ONCE: usize = 32;

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Look {
    what: String,
    ok: bool,
    says: String,
    /// What to do about it, if it is not in the words above.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

#[derive(Serialize)]
struct Answer<'a> {
    ok: bool,
    checks: &'a [Look],
}

pub async fn execute(context: &Context) -> anyhow::Result<Exit> {
    crate::logging::for_commands(context.verbose);
    let looks = look(context).await;
    let ok = looks.iter().all(|look| look.ok);
    if context.output.json {
        context.output.document(&Answer { ok, checks: &looks })?;
    } else {
        show(context.output, &looks)?;
    }
    Ok(if ok { Exit::Ok } else { Exit::NotWell })
}

/// Looks at everything that can be looked at: a missing store does not keep a sink from being checked.
async fn look(context: &Context) -> Vec<Look> {
    let plan = match context.plan() {
        Ok(plan) => plan,
        Err(error) => return vec![Look::new("config", Err(error.to_string()))],
    };
    let destinations = futures_util::stream::iter(&plan.destinations).map(destination).buffered(AT_ONCE);
    let (store, destinations, collector) =
        tokio::join!(store(&plan), destinations.collect::<Vec<_>>(), collector(&plan));
    [config(&plan)].into_iter().chain(store).chain(destinations).chain(collector).collect()
}

async fn destination(planned: &DestinationPlan) -> Look {
    let (name, kind) = (&planned.destination.name, planned.sink.kind);
    let reached = match planned.sink.open() {
        Some(sink) => sink.check().await.map_err(|error| plain::line(error.text())),
        None => Err("this program cannot open its sink".into()),
    };
    Look::new(format!("destination {name}"), reached.map(|()| "can be reached".into())).or_else_do(|| {
        format!("is it up, and does it let this program in? Address and login are in [destinations.{name}.{kind}]")
    })
}

/// Where spans go, if they do.
#[cfg(feature = "otlp")]
async fn collector(plan: &Plan) -> Option<Look> {
    let otlp = plan.otlp.as_ref()?;
    Some(Look::new("otlp", crate::otlp::check(otlp).await.map(|()| "takes spans".into())))
}

#[cfg(not(feature = "otlp"))]
async fn collector(_: &Plan) -> Option<Look> {
    std::future::ready(None).await
}

fn config(plan: &Plan) -> Look {
    let count = plan.destinations.len();
    let says = match count {
        0 => Err("has no destinations: `posthaste run` would have nothing to do".into()),
        1 => Ok("1 destination".into()),
        _ => Ok(format!("{count} destinations")),
    };
    Look::new("config", says)
}

async fn store(plan: &Plan) -> Vec<Look> {
    let store = match store::open(&plan.store).await {
        Ok(store) => store,
        Err(error) => return vec![no_store(&error)],
    };
    let journal = match store.partitions().await {
        Ok(partitions) if partitions == plan.store.partitions => Ok(format!("up to date, {partitions} partitions")),
        Ok(partitions) => Ok(format!(
            "up to date, {partitions} partitions (the config's {} only count for a new journal)",
            plan.store.partitions
        )),
        Err(error) if matches!(error.kind(), Kind::Unavailable | Kind::Denied) => return vec![no_store(&error)],
        Err(error) => Err(error.to_string()),
    };
    let mut looks = vec![Look::new("store", Ok(plan.store.place())), Look::new("journal", journal)];
    looks.extend(surroundings(&store).await);
    looks
}

fn no_store(error: &Error) -> Look {
    let look = Look::new("store", Err(error.to_string()));
    match error.kind() {
        Kind::Unavailable => look.or_else_do(|| "is it up, and is its address in [store] right?".into()),
        Kind::Denied => {
            look.or_else_do(|| "check the user, the password and the name of the database in [store]".into())
        }
        _ => look,
    }
}

/// Warnings do not make a store unwell; refusals do. What cannot be asked was said above.
async fn surroundings(store: &Arc<dyn Store>) -> Vec<Look> {
    let problems = store.check().await.unwrap_or_default();
    let look = |problem: Problem| match problem.refuses {
        true => Look::new("store", Err(problem.text)),
        false => Look::new("store", Ok(format!("warning: {}", problem.text))),
    };
    problems.into_iter().map(look).collect()
}

impl Look {
    fn new(what: impl Into<String>, found: Result<String, String>) -> Self {
        let ok = found.is_ok();
        Self { what: what.into(), ok, says: found.unwrap_or_else(|says| says), remedy: None }
    }

    /// What to do if it is not well.
    fn or_else_do(self, remedy: impl FnOnce() -> String) -> Self {
        Self { remedy: (!self.ok).then(remedy), ..self }
    }
}

fn show(output: Output, looks: &[Look]) -> anyhow::Result<()> {
    let width = looks.iter().map(|look| look.what.len()).max().unwrap_or(0);
    for look in looks {
        let mark = if look.ok { output.paint.green("✓") } else { output.paint.red("✗") };
        let says = [Some(&look.says), look.remedy.as_ref()].into_iter().flatten().map(String::as_str);
        let says = says.collect::<Vec<_>>().join("\n").replace('\n', &format!("\n{:width$}    ", ""));
        output.line(format_args!("{mark} {:width$}  {says}", look.what))?;
    }
    Ok(())
}
