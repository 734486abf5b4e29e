//! An expression that says which messages a destination takes.

use jaq_core::ValT as _;

use super::document::document;
use super::{Errors, Expression, Wrong};
use crate::destination::Filter;
use crate::message::Message;

/// A filter that takes the messages for which the expression is true: neither `false` nor `null`, nor nothing at all.
pub fn filter(source: &str) -> Result<Filter, Wrong> {
    let expression = Expression::new(source)?;
    Ok(Filter::new(source, move |message| takes(&expression, message, Errors::Discreet)))
}

/// What a filter says about a message. An error shows no value of it unless it may.
pub(crate) fn takes(expression: &Expression, message: &Message, errors: Errors) -> Result<bool, String> {
    let answer = expression.evaluate(
        errors,
        || Ok(document(message)),
        |results| match &results[..] {
            [] => Ok(false),
            [answer] => Ok(answer.as_bool()),
            _ => Err("it has several results: join them with `any` or `all`".into()),
        },
    );
    answer.map_err(|why| format!("filter: {why}"))
}
