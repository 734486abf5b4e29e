//! `posthaste sources`: foreign logs that are read into the journal.

use posthaste::inspect::{SourceChange, SourceStatus};
use posthaste::journal::SourceState;
use serde::Serialize;

use crate::clock;
use crate::context::Context;
use crate::exit::Exit;
use crate::operator::{self, Operator};
use crate::output::paint::Hue;
use crate::output::table::{Field, Table};
use crate::output::{plain, when};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List all sources, with position, lag and rate (what `posthaste sources` does)
    List,
    /// Show everything about one source
    Show(Named),
    /// Read no more of a source until it is resumed
    Pause(Named),
    /// Read on: ends a pause, and makes a source that has stopped try again
    Resume(Named),
    /// Read again from a position (a dry run unless --yes is given)
    Rewind(Rewind),
}

#[derive(Debug, clap::Args)]
struct Named {
    /// The name of the source
    source: String,
}

#[derive(Debug, clap::Args)]
struct Rewind {
    /// The name of the source
    source: String,
    /// Where to read on: a position as `posthaste sources` shows it, or `beginning`
    #[arg(long, value_name = "POSITION")]
    to: String,
    /// Do it
    #[arg(long)]
    yes: bool,
}

/// What a change came to.
#[derive(Serialize)]
struct Changed<'a> {
    source: &'a str,
    action: &'static str,
    changed: bool,
    dry_run: bool,
}

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let operator = context.operator().await?;
    match args.command.as_ref().unwrap_or(&Command::List) {
        Command::List => list(context, &operator).await,
        Command::Show(named) => show(context, &operator.source(&named.source).await?),
        Command::Pause(named) => {
            let changed = change(&operator, &named.source, &SourceChange::Pause).await?;
            let text = if changed { "is paused: nobody reads it until it is resumed." } else { "was paused already." };
            answer(context, &named.source, "pause", changed, text)
        }
        Command::Resume(named) => {
            let changed = change(&operator, &named.source, &SourceChange::Resume).await?;
            let text = if changed { "is read on within seconds." } else { "was neither paused nor stopped." };
            answer(context, &named.source, "resume", changed, text)
        }
        Command::Rewind(rewind) => self::rewind(context, &operator, rewind).await,
    }
}

async fn change(operator: &Operator, name: &str, change: &SourceChange) -> anyhow::Result<bool> {
    operator.change_source(&operator::user(), name, change).await
}

fn answer(context: &Context, source: &str, action: &'static str, changed: bool, text: &str) -> anyhow::Result<Exit> {
    if context.output.json {
        context.output.document(&Changed { source, action, changed, dry_run: false })?;
    } else {
        context.output.line(format_args!("{source} {text}"))?;
    }
    Ok(Exit::Ok)
}

async fn rewind(context: &Context, operator: &Operator, args: &Rewind) -> anyhow::Result<Exit> {
    let (source, to) = (operator.source(&args.source).await?, operator.checkpoint(&args.source, &args.to)?);
    let (from, at) = (place(&source), to.as_ref().map_or("the beginning", |to| to.as_str()).to_owned());
    if args.yes {
        let changed = change(operator, &args.source, &SourceChange::Rewind(to)).await?;
        let text = format!("is read again from {at}, in place of {from}; what is in the journal is not stored twice.");
        let text = if changed { text } else { format!("stands at {at} already.") };
        return answer(context, &args.source, "rewind", changed, &text);
    }
    if context.output.json {
        let changed = source.checkpoint != to;
        context.output.document(&Changed { source: &args.source, action: "rewind", changed, dry_run: true })?;
        return Ok(Exit::Ok);
    }
    context.output.line(format_args!(
        "{} stands at {from} and would be read again from {at}. What is in the journal is not stored twice.",
        args.source
    ))?;
    context.output.note("This was a dry run: --yes does it.");
    Ok(Exit::Ok)
}

async fn list(context: &Context, operator: &Operator) -> anyhow::Result<Exit> {
    let sources = operator.sources().await?;
    if context.output.json {
        sources.iter().try_for_each(|source| context.output.document(source))?;
        return Ok(Exit::Ok);
    }
    if sources.is_empty() {
        context.output.line("No source is read into this journal. Add a [sources.NAME] to the config of a relay.")?;
        return Ok(Exit::Ok);
    }
    context.output.table(&table(&sources))?;
    Ok(Exit::Ok)
}

/// Also part of `posthaste status`.
pub fn table(sources: &[SourceStatus]) -> Table {
    let mut table = Table::new([
        "SOURCE",
        "STATE",
        "POSITION",
        ">BEHIND",
        ">EVENTS/S",
        ">STORED",
        ">DUPLICATE",
        ">REFUSED",
        "WORKER",
    ]);
    for source in sources {
        let report = source.report.as_ref().filter(|_| source.held);
        let behind = report.and_then(|report| report.behind_ms).map_or_else(
            || "-".to_owned(),
            |millis| posthaste::duration::brief(std::time::Duration::from_millis(millis)),
        );
        table.row([
            Field::from(&source.name),
            state(source),
            Field::from(plain::cut(&place(source), 40)),
            Field::from(behind),
            Field::number(report.map_or(0, |report| report.events_per_second)),
            Field::number(source.stored),
            Field::number(source.duplicates),
            Field::alarming(source.refused, Hue::Bad),
            Field::from(source.worker.as_deref().unwrap_or("-")),
        ]);
    }
    table
}

fn place(source: &SourceStatus) -> String {
    source.checkpoint.as_ref().map_or_else(|| "the beginning".to_owned(), ToString::to_string)
}

fn state(source: &SourceStatus) -> Field {
    let report = source.report.as_ref().filter(|_| source.held);
    match report.map(|report| report.state) {
        _ if source.paused => Field::from("paused").hue(Hue::Waiting),
        None => Field::from("not read").hue(Hue::Bad),
        Some(SourceState::Stopped) => Field::from("stopped").hue(Hue::Bad),
        Some(SourceState::Failing) => Field::from("failing").hue(Hue::Bad),
        Some(SourceState::CaughtUp) => Field::from("caught up").hue(Hue::Good),
        Some(SourceState::Reading) => Field::from("reading").hue(Hue::Good),
    }
}

fn show(context: &Context, source: &SourceStatus) -> anyhow::Result<Exit> {
    let output = context.output;
    if output.json {
        output.document(source)?;
        return Ok(Exit::Ok);
    }
    output.table(&table(std::slice::from_ref(source)))?;
    output.blank()?;
    let last = source.last_event.as_deref().unwrap_or("none yet");
    output.line(format_args!("Last event   {last}"))?;
    if let Some(at) = source.moved_at {
        output.line(format_args!("Moved        {}", when::both(at, clock::now())))?;
    }
    output.line(format_args!("Events       {}, {} of them ignored", source.events, source.ignored))?;
    if let Some(error) = source.report.as_ref().and_then(|report| report.error.as_deref()) {
        output.line(format_args!("Error        {}", plain::cut(error, 400)))?;
    }
    Ok(Exit::Ok)
}
