//! `posthaste openapi`: the description of the HTTP API, for programs that make clients of it.

use crate::context::Context;
use crate::exit::Exit;
use crate::http;

pub fn execute(context: &Context) -> anyhow::Result<Exit> {
    context.output.document(&http::document())?;
    Ok(Exit::Ok)
}
