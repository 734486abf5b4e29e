//! `posthaste show ID`: the message, what was tried, what is next.

use jiff::Timestamp;
use posthaste::Message;
use posthaste::inspect::{AttemptReport, DeliveryReport, Report};
use posthaste::message::{MessageId, Text};

use super::{explain, list};
use crate::clock;
use crate::context::Context;
use crate::exit::Exit;
use crate::explain::{Cause, Explanation};
use crate::operator::{self, hex};
use crate::output::table::{Field, Table};
use crate::output::{Output, count, plain, when};
use crate::selection::message_id;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The message's id
    #[arg(value_parser = message_id)]
    id: MessageId,
    /// Show the payload and the values of the headers, which may be personal or secret
    #[arg(long)]
    payload: bool,
}

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let (report, explanations) = context.operator().await?.examine(args.id).await?;
    let output = context.output;
    if output.json {
        output.document(&operator::show(&report, &explanations, args.payload))?;
        return Ok(Exit::Ok);
    }
    fields(output, &report, args.payload)?;
    deliveries(output, &report)?;
    timelines(output, &report)?;
    next(context, &explanations)?;
    Ok(Exit::Ok)
}

fn fields(output: Output, report: &Report, payload: bool) -> anyhow::Result<()> {
    let message = &report.message;
    let paint = output.paint;
    output.line(format_args!("{}  {}", paint.bold(&message.event_type), paint.dim(message.id)))?;
    let field =
        |name: &str, text: &str| output.line(format_args!("  {}  {text}", paint.dim(format_args!("{name:<14}"))));
    field("aggregate", &format!("{}/{}", message.aggregate_type, message.aggregate_id))?;
    field("key", message.key.as_deref().unwrap_or("none: no order asked for"))?;
    for (name, value) in optional(message) {
        if let Some(value) = value {
            field(name, &value)?;
        }
    }
    field("occurred", &when::both(message.occurred_at, clock::now()))?;
    if let Some(due) = message.due_at {
        field("due", &when::both(due, clock::now()))?;
    }
    field("place", &format!("position {}, partition {}{}", report.position, report.partition, holder(report)))?;
    for (name, value) in message.headers.iter() {
        let shown = if payload { plain::line(value) } else { paint.dim("(hidden: --payload shows it)") };
        field("header", &format!("{name}: {shown}"))?;
    }
    let size = count(message.payload.len() as u64, "byte");
    field("payload", &format!("{size} of {}", message.content_type))?;
    if payload {
        output.line(format_args!("\n{}", preview(&message.payload)))?;
    }
    Ok(())
}

fn optional(message: &Message) -> [(&'static str, Option<String>); 6] {
    let origin = message.origin.as_ref().map(|origin| format!("{}/{}", origin.stream, origin.event));
    let own = |text: &Option<Text>| text.clone().map(String::from);
    [
        ("tenant", own(&message.tenant)),
        ("user", own(&message.user)),
        ("correlation id", own(&message.correlation_id)),
        ("origin", origin),
        ("addressed to", own(&message.destination)),
        ("max attempts", message.max_attempts.map(|limit| limit.to_string())),
    ]
}

fn holder(report: &Report) -> String {
    match &report.lease {
        Some(lease) if lease.expired => format!(", last held by {}", lease.worker),
        Some(lease) => format!(", held by {}", lease.worker),
        None => ", held by nobody".into(),
    }
}

/// Text as it is, but for control characters other than line breaks; anything else in hexadecimal.
fn preview(payload: &[u8]) -> String {
    const MOST_BYTES: usize = 64 << 10;
    let shown = &payload[..payload.len().min(MOST_BYTES)];
    let mut text = match std::str::from_utf8(shown) {
        Ok(text) => text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { '·' } else { c }).collect(),
        Err(_) => hex(shown),
    };
    if shown.len() < payload.len() {
        text.push_str(&format!("\n… {} more", count((payload.len() - shown.len()) as u64, "byte")));
    }
    text
}

fn deliveries(output: Output, report: &Report) -> anyhow::Result<()> {
    let now = clock::now();
    let mut table = Table::new(["DESTINATION", "STATUS", ">ATTEMPTS", "NEXT", "ERROR"]);
    for delivery in &report.deliveries {
        table.row([
            Field::from(&delivery.destination),
            list::status(Some(delivery.status)),
            Field::attempts(delivery.attempts),
            Field::from(delivery.due_at.map_or("-".into(), |due| when::relative(due, now))),
            Field::from(delivery.error.as_deref().map_or(String::new(), |error| plain::cut(error, 80))),
        ]);
    }
    if !table.is_empty() {
        output.blank()?;
        output.table(&table)?;
    }
    Ok(())
}

fn timelines(output: Output, report: &Report) -> anyhow::Result<()> {
    let tried = |delivery: &&DeliveryReport| !delivery.timeline.is_empty();
    for DeliveryReport { destination, timeline, .. } in report.deliveries.iter().filter(tried) {
        output.line(format_args!("\n{} to {destination}", output.paint.bold("Attempts")))?;
        let now = clock::now();
        timeline.iter().try_for_each(|attempt| output.line(line(output, attempt, now)))?;
    }
    Ok(())
}

fn line(output: Output, attempt: &AttemptReport, now: Timestamp) -> String {
    let AttemptReport { number, at, took_ms, error, reply, worker } = attempt;
    let what = match (error, reply) {
        (None, None) => output.paint.green("delivered"),
        (None, Some(reply)) => format!("{} {}", output.paint.green("delivered:"), plain::line(reply)),
        (Some(error), _) => format!("{} {}", output.paint.red("failed:"), plain::line(error)),
    };
    let where_and_when = output.paint.dim(format_args!("{}, took {took_ms} ms, {worker}", when::both(*at, now)));
    format!("  {number:>3}  {what}\n       {where_and_when}")
}

fn next(context: &Context, explanations: &[Explanation]) -> anyhow::Result<()> {
    let open = |explanation: &&Explanation| explanation.cause != Cause::Delivered;
    let mut explanations = explanations.iter().filter(open).peekable();
    if explanations.peek().is_some() {
        context.output.line(format_args!("\n{}", context.output.paint.bold("Next")))?;
    }
    for explanation in explanations {
        explain::write(context, explanation)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_cannot_take_over_the_terminal() {
        assert_eq!(preview(b"{\"a\":\n\x1b[2J}"), "{\"a\":\n·[2J}");
        assert_eq!(preview(&[0xff, 0x00]), "ff00");
    }
}
