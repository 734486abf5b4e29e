//! `posthaste ui` in a program that is built without feature `http`.

use crate::context::Context;
use crate::exit::{Exit, Misuse};
use crate::store::built_without;

#[derive(Debug, clap::Args)]
pub struct Args {}

#[expect(clippy::unused_async, reason = "stands in for the dashboard, which is")]
pub async fn execute(_: &Context, _: &Args) -> anyhow::Result<Exit> {
    Err(Misuse(built_without("http")).into())
}
