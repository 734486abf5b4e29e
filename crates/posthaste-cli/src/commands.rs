//! One file per command.

use crate::cli::{Cli, Command};
use crate::context::Context;
use crate::exit::Exit;

#[cfg(feature = "table")]
pub mod adopt;
pub mod audit;
pub mod check;
pub mod completions;
#[cfg(all(feature = "sqlite", feature = "handlers"))]
pub mod demo;
#[cfg(not(all(feature = "sqlite", feature = "handlers")))]
#[path = "commands/demo_absent.rs"]
pub mod demo;
pub mod enqueue;
pub mod explain;
pub mod history;
pub mod init;
pub mod jobs;
pub mod list;
pub mod migrate;
pub mod notify;
#[cfg(feature = "http")]
pub mod openapi;
pub mod operate;
pub mod pause;
pub mod purge;
pub mod run;
pub mod show;
pub mod sources;
pub mod status;
pub mod r#try;
#[cfg(feature = "http")]
pub mod ui;
#[cfg(not(feature = "http"))]
#[path = "commands/ui_absent.rs"]
pub mod ui;

pub async fn execute(cli: Cli) -> anyhow::Result<Exit> {
    use posthaste::inspect::Operation::{Discard, Replay};
    let context = Context::new(cli.global);
    match cli.command {
        Command::Init(args) => init::execute(&context, &args),
        Command::Migrate(args) => migrate::execute(&context, &args).await,
        Command::Run => run::execute(&context).await,
        Command::Demo(args) => demo::execute(&context, &args).await,
        Command::Enqueue(args) => enqueue::execute(&context, args).await,
        Command::Status => status::execute(&context).await,
        Command::List(args) => list::execute(&context, &args).await,
        Command::Show(args) => show::execute(&context, &args).await,
        Command::Explain(args) => explain::execute(&context, &args).await,
        Command::History(args) => history::execute(&context, &args).await,
        Command::Replay(args) => operate::execute(&context, Replay, &args).await,
        Command::Discard(args) => operate::execute(&context, Discard, &args).await,
        Command::Pause(args) => pause::pause(&context, &args).await,
        Command::Resume(args) => pause::resume(&context, &args).await,
        Command::Sources(args) => sources::execute(&context, &args).await,
        #[cfg(feature = "table")]
        Command::Adopt(args) => adopt::execute(&context, &args).await,
        Command::Purge(args) => purge::execute(&context, &args).await,
        Command::Jobs(args) => jobs::execute(&context, &args).await,
        Command::Audit(args) => audit::execute(&context, &args).await,
        Command::Notify(args) => notify::execute(&context, &args).await,
        Command::Try(args) => r#try::execute(&context, &args).await,
        Command::Ui(args) => ui::execute(&context, &args).await,
        #[cfg(feature = "http")]
        Command::Openapi => openapi::execute(&context),
        Command::Check => check::execute(&context).await,
        Command::Completions(args) => completions::execute(&args),
    }
}
