//! `posthaste adopt`: looks at the table or collection of an outbox that exists, proposes how to read it, and writes that to the config.

use std::path::PathBuf;

use posthaste::sources::table::{Preset, Proposal, Settings, Table as Source};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::config_file::{ConfigFile, address, quoted};
use self::shown::Shown;
use crate::context::Context;
use crate::exit::{Exit, Misuse};
use crate::output::table::{Field, Table};

#[cfg(feature = "mongodb")]
mod collection;
mod config_file;
mod shown;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The table, as `outbox` or `schema.outbox`; of MongoDB the collection
    table: String,
    /// Where it is: postgres://…, mysql://…, sqlite:FILE or mongodb://…/DATABASE
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true)]
    url: String,
    /// What the source of a table is to be called [default: the name of the table]
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// Whose table it is [default: found out]
    #[arg(long, value_parser = preset, value_name = "integration_outbox|outbox_domain_events|debezium|status")]
    preset: Option<Preset>,
    /// How many messages to show
    #[arg(long, default_value_t = 10, value_name = "COUNT")]
    limit: u16,
    /// Add it to the config: a table as a source, a collection as the store (otherwise it is only shown)
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

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    if ["mongodb:", "mongodb+srv:"].iter().any(|scheme| args.url.starts_with(scheme)) {
        #[cfg(feature = "mongodb")]
        return collection::execute(context, args).await;
        #[cfg(not(feature = "mongodb"))]
        return Err(Misuse(crate::store::built_without("mongodb")).into());
    }
    adopt_table(context, args).await
}

async fn adopt_table(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let mut settings = Settings::default().table(args.table.as_str());
    (settings.url, settings.preset) = (args.url.as_str().into(), args.preset);
    // What is wrong with the address is said before anyone connects.
    let mut checked = settings.clone();
    checked.preset = args.preset.or(Some(Preset::Status));
    Source::new(checked).map_err(|problem| Misuse(problem.to_string()))?;
    let proposal = Source::propose(&settings, args.limit.into()).await?;
    let name = args.source.clone().unwrap_or_else(|| source_name(&proposal.table));
    let config = config(&name, &args.url, &proposal);
    let written = if args.write { Some(ConfigFile::read(context)?.add_source(&name, &config)?) } else { None };
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
        shown::list(output, &answer.messages, "rows", answer.pending)?;
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

/// The name of the table, in letters that need no quotes.
fn source_name(table: &str) -> String {
    let last = table.rsplit('.').next().unwrap_or(table).to_lowercase();
    last.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect()
}

/// The table of the config. A password is not written: it stays in the environment.
fn config(name: &str, url: &str, proposal: &Proposal) -> String {
    let url = address(url, &format!("{}_URL", name.to_uppercase().replace('-', "_")));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_named_like_its_table() {
        assert_eq!(source_name("core_outbox.integration_outbox"), "integration_outbox");
        assert_eq!(source_name("dbo.Outbox Events"), "outbox-events");
    }
}
