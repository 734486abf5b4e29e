//! `posthaste adopt`: looks at a table of an outbox that exists, proposes how to read it, and writes that to the config.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use posthaste::source::rules::Rules;
use posthaste::source::{Event, Mapper as _};
use posthaste::sources::table::{Preset, Proposal, Settings, Table as Source};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::config::DEFAULT_PATHS;
use crate::context::Context;
use crate::exit::{Exit, Misuse};
use crate::output::paint::Hue;
use crate::output::table::{Field, Table};
use crate::output::{count, plain, when};

/// How much of a payload is shown.
const SHOWN: usize = 48;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The table, as `outbox` or `schema.outbox`
    table: String,
    /// Where it is: postgres://…, mysql://… or sqlite:FILE
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true)]
    url: String,
    /// What the source is to be called [default: the name of the table]
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// Whose table it is [default: found out]
    #[arg(long, value_parser = preset, value_name = "integration_outbox|outbox_domain_events|debezium|status")]
    preset: Option<Preset>,
    /// How many messages to show
    #[arg(long, default_value_t = 10, value_name = "COUNT")]
    limit: u16,
    /// Add the source to the config (otherwise it is only shown)
    #[arg(long)]
    write: bool,
}

fn preset(text: &str) -> Result<Preset, String> {
    let parsed = Preset::deserialize(Value::from(text));
    parsed.map_err(|_| format!("write one of {}", Preset::ALL.map(Preset::as_str).join(", ")))
}

/// What was found, and what was made of it.
#[derive(Serialize)]
struct Answer<'a> {
    source: &'a str,
    table: &'a str,
    preset: &'a str,
    columns: Map<String, Value>,
    /// Whether the messages are of rows that are yet to be taken.
    pending: bool,
    messages: Vec<Shown>,
    config: &'a str,
    written: Option<PathBuf>,
}

/// A message as it would be, or why it would not.
#[derive(Default, Serialize)]
struct Shown {
    event: String,
    event_type: String,
    aggregate_type: Option<String>,
    aggregate_id: Option<String>,
    key: Option<String>,
    tenant: Option<String>,
    destination: Option<String>,
    occurred_at: Option<Timestamp>,
    due_at: Option<Timestamp>,
    payload: Option<String>,
    error: Option<String>,
}

impl Shown {
    fn of(event: &Event) -> Self {
        let (id, event_type) = (event.id.to_string(), event.event_type.to_string());
        let nothing = Self { event: id, event_type, ..Self::default() };
        match Rules::new([]).map(event).map(|messages| messages.into_iter().next()) {
            Ok(Some(message)) => Self {
                aggregate_type: Some(message.aggregate_type.to_string()),
                aggregate_id: Some(message.aggregate_id.to_string()),
                key: message.key.map(Into::into),
                tenant: message.tenant.map(Into::into),
                destination: message.destination.map(Into::into),
                occurred_at: Some(message.occurred_at),
                due_at: message.due_at,
                payload: Some(String::from_utf8_lossy(&message.payload).into_owned()),
                ..nothing
            },
            Ok(None) => nothing,
            Err(wrong) => Self { error: Some(wrong.to_string()), ..nothing },
        }
    }
}

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let mut settings = Settings::default().table(args.table.as_str());
    (settings.url, settings.preset) = (args.url.as_str().into(), args.preset);
    // What is wrong with the address is said before anyone connects.
    let mut checked = settings.clone();
    checked.preset = args.preset.or(Some(Preset::Status));
    Source::new(checked).map_err(|problem| Misuse(problem.to_string()))?;
    let proposal = Source::propose(&settings, args.limit.into()).await?;
    let name = args.source.clone().unwrap_or_else(|| source_name(&proposal.table));
    let config = config(&name, &args.url, &proposal);
    let written = if args.write { Some(write(context, &name, &config)?) } else { None };
    let messages = proposal.events.iter().map(Shown::of).collect();
    let columns = proposal.columns.iter().map(|(part, column)| ((*part).to_owned(), Value::from(column.as_str())));
    let answer = Answer {
        source: &name,
        table: &proposal.table,
        preset: proposal.preset.as_str(),
        columns: columns.collect(),
        pending: proposal.pending,
        messages,
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
    output.line(format_args!("{} is a table as the preset `{}` has them.", answer.table, answer.preset))?;
    output.blank()?;
    let mut columns = Table::new(["PART", "COLUMN"]);
    for (part, column) in &proposal.columns {
        columns.row([Field::from(part), Field::from(column)]);
    }
    output.table(&columns)?;
    output.blank()?;
    if answer.messages.is_empty() {
        output.line("The table is empty, so there is no message to show.")?;
    } else {
        let which = if answer.pending { "pending" } else { "taken already" };
        output.line(format_args!("{} of rows that are {which}:", count(answer.messages.len() as u64, "message")))?;
        output.table(&messages(&answer.messages))?;
    }
    output.blank()?;
    output.line(answer.config.trim_end())?;
    match &answer.written {
        Some(path) => {
            output.note(format_args!("Added to {}. `posthaste check` says whether it works.", path.display()));
        }
        None => output.note("This was a dry run: --write adds it to the config."),
    }
    Ok(())
}

fn messages(shown: &[Shown]) -> Table {
    let mut table = Table::new(["EVENT", "EVENT TYPE", "KEY", "TENANT", "DESTINATION", "OCCURRED", "PAYLOAD"]);
    let optional = |text: &Option<String>| Field::from(text.as_deref().unwrap_or("-"));
    for one in shown {
        let payload = match &one.error {
            Some(error) => Field::from(plain::cut(error, SHOWN)).hue(Hue::Bad),
            None => Field::from(plain::cut(one.payload.as_deref().unwrap_or_default(), SHOWN)),
        };
        table.row([
            Field::from(plain::cut(&one.event, 36)),
            Field::from(&one.event_type),
            optional(&one.key),
            optional(&one.tenant),
            optional(&one.destination),
            Field::from(one.occurred_at.map_or_else(|| "-".to_owned(), when::at)),
            payload,
        ]);
    }
    table
}

/// The name of the table, in letters that need no quotes.
fn source_name(table: &str) -> String {
    let last = table.rsplit('.').next().unwrap_or(table).to_lowercase();
    last.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect()
}

/// The table of the config. A password is not written: it stays in the environment.
fn config(name: &str, url: &str, proposal: &Proposal) -> String {
    let url = match has_password(url) {
        true => format!("{{ env = \"{}_URL\" }}", name.to_uppercase().replace('-', "_")),
        false => quoted(url),
    };
    let key = if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
        name.to_owned()
    } else {
        quoted(name)
    };
    format!(
        "[sources.{key}]\ntype = \"table\"\n\n[sources.{key}.table]\nurl = {url}\ntable = {}\npreset = \"{}\"\n",
        quoted(&proposal.table),
        proposal.preset
    )
}

fn has_password(url: &str) -> bool {
    let login = url.split_once("://").and_then(|(_, rest)| rest.split(['/', '?']).next()?.rsplit_once('@'));
    login.is_some_and(|(login, _)| login.contains(':')) || url.contains("password=")
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// Adds the source to the config, which must not have one of its name.
fn write(context: &Context, name: &str, config: &str) -> anyhow::Result<PathBuf> {
    let path = context.config_path().map_or_else(|| PathBuf::from(DEFAULT_PATHS[0]), Path::to_owned);
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Err(Misuse("`adopt --write` writes TOML: add what it shows to the config yourself".into()).into());
    }
    let before = std::fs::read_to_string(&path)
        .map_err(|error| Misuse(format!("{} cannot be read ({error}): `posthaste init` makes one", path.display())))?;
    let parsed: toml::Table = before.parse().map_err(|_| Misuse(format!("{} is no TOML", path.display())))?;
    if parsed.get("sources").and_then(|sources| sources.get(name)).is_some() {
        let text = format!("{} has a source `{name}` already: give this one another name by --source", path.display());
        return Err(Misuse(text).into());
    }
    let mut file = std::fs::OpenOptions::new().append(true).open(&path)?;
    let gap = if before.ends_with('\n') || before.is_empty() { "\n" } else { "\n\n" };
    write!(file, "{gap}{config}")?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_written_to_the_config() {
        for url in
            ["postgres://ann:s3cret@db/shop", "mysql://ann:s3cret@db", "postgres://db/shop?user=a&password=s3cret"]
        {
            assert!(has_password(url), "{url}");
        }
        for url in ["postgres://ann@db:5432/shop", "sqlite:/var/lib/shop.db", "mysql://db:3306/shop"] {
            assert!(!has_password(url), "{url}");
        }
    }

    #[test]
    fn a_source_is_named_like_its_table() {
        assert_eq!(source_name("core_outbox.integration_outbox"), "integration_outbox");
        assert_eq!(source_name("dbo.Outbox Events"), "outbox-events");
    }
}
