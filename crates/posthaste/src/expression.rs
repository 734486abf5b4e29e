//! Expressions: jq, for filters and transformations of destinations and for the mapping of sources.
//!
//! An [`Expression`] is compiled once. It is pure: it sees its input and nothing else, no clock, no environment, no file. And it is
//! bounded, because it runs where messages are delivered: in steps, in the size and depth of every value that it makes, in its results
//! and in the stack that it uses. What goes beyond a bound fails as an error of the expression does.
//!
//! The language is that of the `jaq` crates, which know no bounds. Two seams give them: every step of the interpreter asks for the
//! program, which `meter` counts, and every value is a `Value`, which is weighed when it is made.
//!
//! | module | what |
//! |---|---|
//! | `compile` | from text to program; what is wrong with a text, with its place |
//! | `plain` | which programs need no stack of their own |
//! | `meter` | the bounds |
//! | `value` | what a program works with |
//! | `functions`, `patterns`, `prelude.jq` | what a program can call beyond the standard library of jaq |
//! | `json` | reading and writing values |
//! | `document` | a message as a program sees it |
//! | `filter`, `transform`, `transformed`, `trial` | the two uses at a destination, and trying them |
//! | `mapping` | the use at a source |

use std::fmt;
use std::sync::Arc;

use jaq_core::{Ctx, Vars};

pub use self::compile::Wrong;
pub use self::filter::filter;
pub use self::mapping::{Mapping, payload};
use self::meter::{Exceeded, Metered, Program};
pub use self::transform::Transform;
pub use self::transformed::Transformed;
pub use self::trial::{Trial, attempt};
use self::value::Value;

mod compile;
mod document;
mod filter;
mod functions;
#[cfg(test)]
mod hostile;
mod json;
mod mapping;
mod meter;
mod patterns;
mod plain;
#[cfg(test)]
mod tests;
mod transform;
mod transformed;
mod trial;
mod value;

/// More results than any use of an expression has room for.
const MAX_RESULTS: usize = 1_000;

/// A compiled expression.
#[derive(Clone)]
pub struct Expression {
    source: Arc<str>,
    program: Arc<jaq_core::Filter<Metered>>,
    /// Whether it runs on the stack of its caller.
    plain: bool,
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Expression").field(&self.source).finish()
    }
}

/// How much of a message an error may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Errors {
    /// Only words that stand in the expression itself: errors are stored and logged.
    Discreet,
    /// Values as they are, for whoever may see the message anyway.
    Frank,
}

impl Expression {
    /// Compiles a text. What is wrong with it is said with its place.
    pub fn new(source: &str) -> Result<Self, Wrong> {
        let (program, plain) = compile::compile(source)?;
        Ok(Self { source: source.into(), program: Arc::new(program), plain })
    }

    /// The text that it was compiled from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The results for the JSON text `input`, each as JSON. An error says why there are none, with values of the input in it.
    pub fn apply(&self, input: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        let read = || json::read(input).ok_or_else(|| "the input is no JSON".to_owned());
        self.evaluate(Errors::Frank, read, |results| Ok(results.iter().map(json::write).collect()))
    }

    /// Evaluates under all bounds: from `input` to what `take` makes of the results.
    fn evaluate<T>(
        &self,
        errors: Errors,
        input: impl FnOnce() -> Result<Value, String>,
        take: impl FnOnce(Vec<Value>) -> Result<T, String>,
    ) -> Result<T, String> {
        let evaluate = || take(self.results(input()?)?);
        let metered = match self.plain {
            true => meter::metered(&self.source, errors, meter::PLAIN_STACK, evaluate),
            false => meter::with_stack(|| meter::metered(&self.source, errors, meter::OWN_STACK, evaluate)),
        };
        metered.unwrap_or_else(|exceeded| Err(exceeded.to_string()))
    }

    fn results(&self, input: Value) -> Result<Vec<Value>, String> {
        let context = Ctx::<Metered>::new(Program::new(&self.program.lut), Vars::new([]));
        let mut results = Vec::new();
        for result in self.program.id.run((context, input)) {
            let value = result.map_err(|thrown| thrown.get_err().map_or_else(|_| String::new(), |e| e.to_string()))?;
            if results.len() == MAX_RESULTS {
                meter::stop(Exceeded::Results);
            }
            results.push(value);
        }
        Ok(results)
    }
}
