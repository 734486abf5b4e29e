//! `posthaste try`: what filter and transform of a destination do to real messages.

use crate::clock;
use crate::context::Context;
use crate::exit::{Exit, Misuse};
use crate::expressions::{Content, DEFAULT_LIMIT, DELIVERED, FILTERED_OUT, REJECTED, Tried, Wanted};
use crate::operator;
use crate::output::{Output, count, plain};
use crate::selection::Selection;

const AFTER_HELP: &str = r#"Shows payloads and headers, and delivers nothing. Which messages, and which expressions:
  posthaste try --destination billing --since 1h
  posthaste try --destination billing --filter '.payload.amount > 100' --transform '.payload |= {id, amount}'
What an expression can do is in docs/expressions.md."#;

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Args {
    /// How many messages to try at most
    #[arg(long, value_name = "N", default_value_t = DEFAULT_LIMIT as u32, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// Try this filter in place of the destination's
    #[arg(long, value_name = "EXPRESSION")]
    filter: Option<String>,
    /// Try this transformation in place of the destination's
    #[arg(long, value_name = "EXPRESSION")]
    transform: Option<String>,
    #[command(flatten)]
    selection: Selection,
}

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let filter = args.selection.filter(clock::now());
    let Some(destination) = filter.destination.as_ref().map(ToString::to_string) else {
        return Err(Misuse("say whose filter and transform to try: --destination NAME".into()).into());
    };
    let (expressions, limit) = ((args.filter.clone(), args.transform.clone()), args.limit as usize);
    let wanted = Wanted { destination, filter: expressions.0, transform: expressions.1, limit };
    let tried = context.operator().await?.try_out(&operator::user(), &wanted, filter).await?;
    if context.output.json {
        tried.iter().try_for_each(|one| context.output.document(one))?;
        return Ok(Exit::Ok);
    }
    if tried.is_empty() {
        context.output.note("Nothing matches.");
        return Ok(Exit::Ok);
    }
    tried.iter().try_for_each(|one| show(context.output, one))?;
    context.output.note(summary(&tried));
    Ok(Exit::Ok)
}

fn show(output: Output, tried: &Tried) -> anyhow::Result<()> {
    let paint = output.paint;
    let mark = match tried.outcome {
        DELIVERED => paint.green("delivered"),
        FILTERED_OUT => paint.dim("filtered out"),
        _ => paint.red("rejected"),
    };
    output.line(format_args!(
        "{}  {}  {}  {mark}",
        paint.bold(&tried.event_type),
        tried.aggregate,
        paint.dim(&tried.id)
    ))?;
    if let Some(error) = &tried.error {
        output.line(format_args!("  {}", plain::line(error)))?;
    }
    content(output, "before", &tried.before)?;
    match &tried.after {
        Some(after) if same(after, &tried.before) => {
            output.line(format_args!("  {}", paint.dim("after   the same")))?;
        }
        Some(after) => content(output, "after", after)?,
        None => {}
    }
    output.blank()?;
    Ok(())
}

fn same(left: &Content, right: &Content) -> bool {
    let payload = |content: &Content| content.payload.as_ref().map(|payload| payload.get().to_owned());
    left.headers == right.headers && payload(left) == payload(right) && left.payload_hex == right.payload_hex
}

fn content(output: Output, name: &str, content: &Content) -> anyhow::Result<()> {
    let paint = output.paint;
    let payload = content.payload.as_ref().map(|payload| plain::line(payload.get()));
    let payload = payload.or_else(|| content.payload_hex.clone()).unwrap_or_default();
    output.line(format_args!("  {}  {payload}", paint.dim(format_args!("{name:<6}"))))?;
    for (header, value) in &content.headers {
        output.line(format_args!("  {:<6}  {}: {}", "", paint.dim(header), plain::line(value)))?;
    }
    Ok(())
}

fn summary(tried: &[Tried]) -> String {
    let of = |outcome: &str| tried.iter().filter(|one| one.outcome == outcome).count();
    let messages = count(tried.len() as u64, "message");
    format!("{messages}: {} delivered, {} filtered out, {} rejected.", of(DELIVERED), of(FILTERED_OUT), of(REJECTED))
}
