//! `posthaste enqueue`: messages from the command line, for trying things out and for scripts.

use std::io::Read;
use std::time::Duration;

use anyhow::Context as _;
use jiff::Timestamp;
use posthaste::Message;
use posthaste::duration;
use serde_json::json;

use self::draft::Draft;
use crate::clock;
use crate::context::Context;
use crate::exit::{Exit, Misuse};
use crate::output::count;
use crate::selection::{aggregate, timestamp};

mod draft;
mod jsonl;

#[derive(Debug, clap::Args)]
#[command(after_help = jsonl::HELP)]
pub struct Args {
    /// What happened, as in order.paid
    #[arg(long, required_unless_present = "from_jsonl")]
    event_type: Option<String>,
    /// What it happened to, as in order/4711
    #[arg(long, value_name = "TYPE/ID", value_parser = aggregate, required_unless_present = "from_jsonl")]
    aggregate: Option<(String, String)>,
    /// Messages of one key are delivered in order [default: the aggregate]
    #[arg(long)]
    key: Option<String>,
    /// Deliver it in any order: it gets no key
    #[arg(long, conflicts_with = "key")]
    unordered: bool,
    /// The payload: text, @FILE, or - for stdin
    #[arg(long, value_name = "TEXT|@FILE|-", default_value = "{}")]
    payload: String,
    /// The content type of the payload
    #[arg(long, value_name = "TYPE", default_value = "application/json")]
    content_type: String,
    /// A header; repeat for several
    #[arg(long = "header", value_name = "NAME=VALUE", value_parser = header)]
    headers: Vec<(String, String)>,
    /// The tenant whose event it is
    #[arg(long)]
    tenant: Option<String>,
    /// The user who caused it
    #[arg(long)]
    user: Option<String>,
    /// An id that related events share
    #[arg(long, value_name = "ID")]
    correlation_id: Option<String>,
    /// Deliver it after this long, not before
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    due_in: Option<Duration>,
    /// Deliver it at this time, not before
    #[arg(long, value_name = "TIME", value_parser = timestamp, conflicts_with = "due_in")]
    due_at: Option<Timestamp>,
    /// Deliver it to this destination only, whatever the routes say
    #[arg(long, value_name = "DESTINATION")]
    to: Option<String>,
    /// How often it is tried at most, instead of what the destination says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_attempts: Option<u32>,
    // `source` was its name before, and is still understood.
    /// The foreign event that it was made from; a second message of the same origin is not stored
    #[arg(long, alias = "source", value_name = "STREAM/EVENT", value_parser = origin)]
    origin: Option<(String, String)>,
    /// Many messages in one transaction, one JSON object per line (see below)
    #[arg(long, value_name = "FILE|-", conflicts_with_all = SINGLE)]
    from_jsonl: Option<String>,
}

/// What describes a single message.
const SINGLE: [&str; 15] = [
    "event_type",
    "aggregate",
    "key",
    "unordered",
    "payload",
    "content_type",
    "headers",
    "tenant",
    "user",
    "correlation_id",
    "due_in",
    "due_at",
    "to",
    "max_attempts",
    "origin",
];

pub async fn execute(context: &Context, args: Args) -> anyhow::Result<Exit> {
    let messages = match &args.from_jsonl {
        Some(place) => {
            let text = String::from_utf8(read(place)?).map_err(|_| Misuse(format!("{place} is not UTF-8")))?;
            jsonl::messages(&text).map_err(Misuse)?
        }
        None => vec![draft(args)?.message()?],
    };
    let (_, store) = context.open().await?;
    let stored = store.write(&messages).await?;
    answer(context, &messages, &stored)?;
    Ok(Exit::Ok)
}

fn answer(context: &Context, messages: &[Message], stored: &[bool]) -> anyhow::Result<()> {
    let output = context.output;
    for (message, stored) in messages.iter().zip(stored) {
        if output.json {
            output.document(&json!({ "id": message.id, "stored": stored }))?;
        } else if *stored {
            output.line(message.id)?;
        }
    }
    let known = stored.iter().filter(|stored| !**stored).count();
    if known > 0 {
        output.note(format_args!(
            "Stored before, with the same origin: {}. Nothing was written for it.",
            count(known as u64, "message")
        ));
    }
    Ok(())
}

fn draft(args: Args) -> anyhow::Result<Draft> {
    Ok(Draft {
        id: None,
        event_type: args.event_type.unwrap_or_default(),
        aggregate: args.aggregate.unwrap_or_default(),
        key: args.key,
        unordered: args.unordered,
        payload: payload(&args.payload)?,
        content_type: args.content_type,
        headers: args.headers,
        tenant: args.tenant,
        user: args.user,
        correlation_id: args.correlation_id,
        occurred_at: None,
        due_at: due(args.due_in, args.due_at)?,
        destination: args.to,
        max_attempts: args.max_attempts,
        origin: args.origin,
    })
}

fn due(due_in: Option<Duration>, due_at: Option<Timestamp>) -> Result<Option<Timestamp>, Misuse> {
    match due_in {
        None => Ok(due_at),
        Some(wait) => {
            clock::now().checked_add(wait).map(Some).map_err(|_| Misuse("--due-in reaches beyond the year 9999".into()))
        }
    }
}

fn payload(text: &str) -> anyhow::Result<Vec<u8>> {
    match text.strip_prefix('@') {
        Some(path) => read(path),
        None if text == "-" => read("-"),
        None => Ok(text.as_bytes().to_vec()),
    }
}

/// A file, or stdin.
fn read(place: &str) -> anyhow::Result<Vec<u8>> {
    if place == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read stdin")?;
        return Ok(bytes);
    }
    Ok(std::fs::read(place).map_err(|error| Misuse(format!("cannot read {place}: {error}")))?)
}

fn header(text: &str) -> Result<(String, String), String> {
    let wrong = || format!("`{text}` is not a header: write NAME=VALUE");
    text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or_else(wrong)
}

fn origin(text: &str) -> Result<(String, String), String> {
    let wrong = || format!("`{text}` is not an origin: write STREAM/EVENT");
    text.rsplit_once('/').map(|(stream, event)| (stream.to_owned(), event.to_owned())).ok_or_else(wrong)
}
