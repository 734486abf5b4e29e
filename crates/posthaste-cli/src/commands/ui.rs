//! `posthaste ui`: the dashboard without a relay. It needs only the store, so it works when no relay does.

use std::net::SocketAddr;
use std::path::PathBuf;

use posthaste::relay::Monitor;

use super::run::signals::{Signal, Signals};
use crate::config::{HttpPlan, Plan};
use crate::context::Context;
use crate::exit::{Exit, Misuse};
use crate::http::{Files, Server};
use crate::operator::Operator;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The address to listen on [default: `http.bind` of the config, else 127.0.0.1:7700]
    #[arg(long, value_name = "ADDRESS")]
    bind: Option<SocketAddr>,
    /// Serve the pages from this folder, to work on them
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    files: Option<PathBuf>,
}

pub async fn execute(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let mut signals = Signals::new()?;
    let (plan, store) = context.open().await?;
    let http = http_plan(&plan, args.bind)?;
    let files = args.files.clone().map_or(Files::Embedded, Files::Folder);
    let server =
        Server::start(&http, Operator::new(&plan, &store), Monitor::default(), files).await.map_err(|error| {
            error.context(
                "perhaps a relay serves the dashboard there already: open it, or choose another address with --bind",
            )
        })?;
    announce(context, server.address)?;
    while signals.next().await == Signal::Reload {}
    Ok(Exit::Ok)
}

fn announce(context: &Context, address: SocketAddr) -> std::io::Result<()> {
    match context.output.json {
        true => context.output.document(&serde_json::json!({ "url": format!("http://{address}/ui/") })),
        false => context.output.line(format_args!("The dashboard is at http://{address}/ui/ until you press Ctrl-C.")),
    }
}

/// What the config says, or an address for this machine only.
fn http_plan(plan: &Plan, bind: Option<SocketAddr>) -> Result<HttpPlan, Misuse> {
    let mut http = plan.http.clone().unwrap_or_default();
    http.bind = bind.unwrap_or(http.bind);
    if !http.bind.ip().is_loopback() && http.tokens.is_empty() {
        let text =
            "--bind names an address that others can reach, which needs a token: add [http.tokens.NAME] to the config";
        return Err(Misuse(text.into()));
    }
    Ok(http)
}
