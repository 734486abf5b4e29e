//! `posthaste pause DESTINATION` and `posthaste resume DESTINATION`, each also for one tenant

use crate::context::Context;
use crate::exit::Exit;
use crate::operator::{self, PauseAnswer};
use crate::selection::line::quoted;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The name of the destination
    destination: String,
    /// Only the messages of this tenant; all others go on
    #[arg(long, value_name = "TENANT")]
    tenant: Option<String>,
}

impl Args {
    /// As it is written after `pause` or `resume`.
    fn line(&self) -> String {
        let tenant = self.tenant.as_ref().map_or(String::new(), |tenant| format!(" --tenant {}", quoted(tenant)));
        format!("{}{tenant}", self.destination)
    }

    /// What is paused or resumed, in words.
    fn subject(&self) -> String {
        match &self.tenant {
            Some(tenant) => format!("tenant {tenant} at {}", self.destination),
            None => self.destination.clone(),
        }
    }

    fn answer(&self, paused: bool, changed: bool) -> PauseAnswer<'_> {
        PauseAnswer { destination: &self.destination, tenant: self.tenant.as_deref(), paused, changed }
    }
}

async fn set(context: &Context, args: &Args, paused: bool) -> anyhow::Result<bool> {
    let (operator, who) = (context.operator().await?, operator::user());
    match &args.tenant {
        Some(tenant) => operator.set_tenant_paused(&who, &args.destination, tenant, paused).await,
        None => operator.set_paused(&who, &args.destination, paused).await,
    }
}

pub async fn pause(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let changed = set(context, args, true).await?;
    let (subject, resume) = (args.subject(), context.with_config(&format!("posthaste resume {}", args.line())));
    let text = if changed {
        format!("{subject} is paused: its workers stop within seconds, until `{resume}`.")
    } else {
        format!("{subject} was paused already, until `{resume}`.")
    };
    answer(context, &args.answer(true, changed), &text)
}

pub async fn resume(context: &Context, args: &Args) -> anyhow::Result<Exit> {
    let changed = set(context, args, false).await?;
    let text = if changed { "goes on within seconds." } else { "was not paused." };
    answer(context, &args.answer(false, changed), &format!("{} {text}", args.subject()))
}

fn answer(context: &Context, document: &PauseAnswer<'_>, text: &str) -> anyhow::Result<Exit> {
    if context.output.json {
        context.output.document(document)?;
    } else {
        context.output.line(text)?;
    }
    Ok(Exit::Ok)
}
