//! Replaces the demo in a program that is built without `sqlite` or `handlers`.

use crate::context::Context;
use crate::exit::{Exit, Misuse};

#[derive(Debug, clap::Args)]
pub struct Args {}

#[expect(clippy::unused_async, reason = "stands in for the demo, which is")]
pub async fn execute(_: &Context, _: &Args) -> anyhow::Result<Exit> {
    Err(Misuse("the demo needs SQLite and handlers: build posthaste with --features sqlite,handlers".into()).into())
}
