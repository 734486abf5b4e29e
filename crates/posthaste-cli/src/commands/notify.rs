//! `posthaste notify`: what is wrong now, who is told of it, and whether being told works.

use std::sync::Arc;
use std::time::{Duration, Instant};

use posthaste::destination::Name;
use posthaste::duration;
use posthaste::inspect::{Overview, Status};
use posthaste::message::MessageId;
use posthaste::notify::{Condition, Settings, conditions, test_notice};
use posthaste::store::Store;
use serde::Serialize;

use crate::context::Context;
use crate::exit::{Exit, Misuse};
use crate::output::plain;

/// Between two looks at what became of a test.
const LOOK: Duration = Duration::from_millis(200);

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Send a test to everyone who is told, and wait until it has arrived
    #[arg(long)]
    test: bool,
    /// How long to wait for the test
    #[arg(long, value_name = "DURATION", value_parser = duration::parse, default_value = "30s", requires = "test")]
    timeout: Duration,
}

#[derive(Serialize)]
struct Wrong<'a> {
    kind: &'a str,
    severity: &'a str,
    destination: Option<&'a str>,
    text: &'a str,
    command: &'a str,
}

#[derive(Serialize)]
struct Answer<'a> {
    to: Vec<&'a str>,
    wrong: Vec<Wrong<'a>>,
}

#[derive(Serialize)]
struct Tested {
    destination: String,
    id: MessageId,
    status: Option<Status>,
    arrived: bool,
}

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let (plan, store) = context.open().await?;
    let Some(settings) = plan.notify else {
        return Err(
            Misuse("the config has nobody to tell: add [notify] with to = \"NAME\", a destination".into()).into()
        );
    };
    if args.test {
        test(context, &store, &settings, args.timeout).await
    } else {
        show(context, &store, &settings).await
    }
}

/// What is wrong at this moment, however long it has been.
async fn show(context: &Context, store: &Arc<dyn Store>, settings: &Settings) -> anyhow::Result<Exit> {
    let found = conditions(&store.overview().await?, settings.lag_over);
    let to = settings.to.iter().map(Name::as_str).collect();
    let answer = Answer { to, wrong: found.iter().map(Wrong::of).collect() };
    if context.output.json {
        context.output.document(&answer)?;
        return Ok(Exit::Ok);
    }
    context.output.line(format!("told: {}", answer.to.join(", ")))?;
    for wrong in &answer.wrong {
        let command = context.with_config(wrong.command);
        context.output.line(format!("{}  {}\n    {command}", wrong.severity, plain::cut(wrong.text, 160)))?;
    }
    if answer.wrong.is_empty() {
        context.output.line("nothing is wrong, so nothing is told")?;
    }
    Ok(Exit::Ok)
}

impl<'a> Wrong<'a> {
    fn of(condition: &'a Condition) -> Self {
        Self {
            kind: condition.subject.0.as_str(),
            severity: condition.subject.0.severity().as_str(),
            destination: condition.subject.1.as_ref().map(Name::as_str),
            text: &condition.text,
            command: &condition.command,
        }
    }
}

async fn test(
    context: &Context,
    store: &Arc<dyn Store>,
    settings: &Settings,
    timeout: Duration,
) -> anyhow::Result<Exit> {
    let mut tests = Vec::new();
    for to in &settings.to {
        let message = test_notice(to)?;
        store.write(std::slice::from_ref(&message)).await?;
        tests.push(Tested { destination: to.to_string(), id: message.id, status: None, arrived: false });
    }
    let begun = Instant::now();
    while !settled(&**store, &mut tests).await? && begun.elapsed() < timeout {
        tokio::time::sleep(LOOK).await;
    }
    let overview = store.overview().await?;
    for test in &tests {
        if context.output.json {
            context.output.document(test)?;
        } else {
            context.output.line(told(context, test, &overview))?;
        }
    }
    Ok(if tests.iter().all(|test| test.arrived) { Exit::Ok } else { Exit::NotWell })
}

/// Whether it is known of all tests that they arrived, or never will.
async fn settled(store: &dyn Store, tests: &mut [Tested]) -> anyhow::Result<bool> {
    for test in tests.iter_mut() {
        let mut deliveries = store.get(test.id).await?.into_iter().flat_map(|report| report.deliveries);
        test.status = deliveries.find(|delivery| delivery.destination == test.destination).map(|at| at.status);
        test.arrived = test.status == Some(Status::Delivered);
    }
    Ok(tests.iter().all(|test| test.arrived || test.status == Some(Status::Dead)))
}

fn told(context: &Context, test: &Tested, overview: &Overview) -> String {
    let explain = context.with_config(&format!("posthaste explain {}", test.id));
    match test.status {
        Some(Status::Delivered) => format!("{} has the test", test.destination),
        _ if !overview.workers.iter().any(|worker| worker.alive) => {
            let run = context.with_config("posthaste run");
            format!("{} gets the test as soon as a worker runs: `{run}`", test.destination)
        }
        _ => format!("{} does not have the test yet: `{explain}`", test.destination),
    }
}
