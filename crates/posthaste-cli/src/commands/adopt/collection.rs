//! A collection of MongoDB: it becomes the journal itself, so what is proposed is a store.

use std::path::PathBuf;
use std::time::Duration;

use posthaste::stores::mongodb::{MongoDb, Options, Proposal, StatusNames};
use serde::Serialize;
use serde_json::{Map, Value};

use super::Args;
use super::config_file::{ConfigFile, address, quoted};
use super::shown::{self, Shown};
use crate::context::Context;
use crate::exit::{Exit, Misuse};
use crate::output::table::{Field, Table};

/// A person waits for it.
const PATIENCE: Duration = Duration::from_secs(5);

/// What was found, and what was made of it.
#[derive(Serialize)]
struct Answer<'a> {
    collection: &'a str,
    fields: Map<String, Value>,
    status: Value,
    /// Statuses that are none of the three.
    other_statuses: &'a [String],
    pending: bool,
    messages: Vec<Shown>,
    config: &'a str,
    written: Option<PathBuf>,
}

pub(super) async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    if args.source.is_some() || args.preset.is_some() {
        let text = "--source and --preset are for tables: a collection of MongoDB becomes the journal itself";
        return Err(Misuse(text.into()).into());
    }
    let mut options = Options::default();
    options.collection.clone_from(&args.table);
    options.server_selection_timeout = PATIENCE;
    let mut proposal = MongoDb::open(args.url.as_str(), options).await?.propose(args.limit.into()).await?;
    let config = config(args, &proposal);
    let written = if args.write { Some(ConfigFile::read(context)?.put_store(&config)?) } else { None };
    let messages = std::mem::take(&mut proposal.messages).into_iter();
    let StatusNames { pending, published, failed, .. } = &proposal.status;
    let answer = Answer {
        collection: &args.table,
        fields: proposal.found.iter().map(|one| (one.part.to_owned(), Value::from(one.name.as_str()))).collect(),
        status: serde_json::json!({ "pending": pending, "published": published, "failed": failed }),
        other_statuses: &proposal.other_statuses,
        pending: proposal.pending,
        messages: messages.map(|(message, refused)| Shown::of_message(message, refused)).collect(),
        config: &config,
        written,
    };
    if context.output.json {
        context.output.document(&answer)?;
    } else {
        show(context, &answer, &proposal)?;
    }
    Ok(Exit::Ok)
}

fn show(context: &Context, answer: &Answer<'_>, proposal: &Proposal) -> anyhow::Result<()> {
    let output = context.output;
    output.line(format_args!("{} is a collection that can be the journal.", answer.collection))?;
    output.blank()?;
    let mut fields = Table::new(["PART", "FIELD"]);
    for one in &proposal.found {
        fields.row([Field::from(one.part), Field::from(&one.name)]);
    }
    output.table(&fields)?;
    output.blank()?;
    let StatusNames { pending, published, .. } = &proposal.status;
    output.line(format_args!(
        "A document that is `{published}` was delivered and is left alone; `{pending}` is yet to be."
    ))?;
    if !answer.other_statuses.is_empty() {
        let others = answer.other_statuses.join("`, `");
        output.line(format_args!("Others are delivered, too: `{others}`."))?;
    }
    output.blank()?;
    shown::list(output, &answer.messages, "documents", answer.pending)?;
    output.blank()?;
    output.line(answer.config.trim_end())?;
    match &answer.written {
        Some(path) => {
            let next = "Stop whatever dispatches it now, then run `posthaste migrate` and `posthaste check`.";
            output.note(format_args!("Written to {}. {next}", path.display()));
        }
        None => output.note("This was a dry run: --write puts it into the config."),
    }
    Ok(())
}

/// What is not named keeps its default.
fn config(args: &Args, proposal: &Proposal) -> String {
    let url = address(&args.url, "MONGODB_URL");
    let mut config =
        format!("[store]\ntype = \"mongodb\"\nurl = {url}\n\n[store.mongodb]\ncollection = {}\n", quoted(&args.table));
    let renamed = proposal.found.iter().filter(|one| !one.is_usual);
    let renamed: Vec<_> = renamed.map(|one| format!("{} = {}", one.part, quoted(&one.name))).collect();
    if !renamed.is_empty() {
        config.push_str(&format!("fields = {{ {} }}\n", renamed.join(", ")));
    }
    let StatusNames { pending, published, failed, .. } = &proposal.status;
    if proposal.status != StatusNames::default() {
        let [pending, published, failed] = [pending, published, failed].map(|name| quoted(name));
        config.push_str(&format!("status = {{ pending = {pending}, published = {published}, failed = {failed} }}\n"));
    }
    config
}
