//! From the text of an expression to its program.

use std::fmt;

use jaq_core::load::{Arena, File, Lexer, Loader, Parser, lex, parse, span};
use jaq_core::{Compiler, compile};

use super::meter::{self, Metered};
use super::{functions, plain};

/// Longer texts are refused.
const MAX_BYTES: usize = 16 << 10;

/// What jq has and an expression must not have, since it would see more than its input.
const IMPURE: &[&str] = &[
    "$ENV",
    "$__prog_args",
    "debug",
    "env",
    "halt",
    "halt_error",
    "input",
    "input_filename",
    "input_line_number",
    "inputs",
    "localtime",
    "now",
    "stderr",
    "strflocaltime",
];

/// What is wrong with an expression, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wrong {
    /// What is wrong, as a part of a sentence.
    pub what: String,
    /// Counts from one.
    pub line: usize,
    /// Counts characters, from one.
    pub column: usize,
    /// The line itself.
    text: String,
}

impl Wrong {
    /// `place` is in bytes.
    fn at(source: &str, place: usize, what: impl Into<String>) -> Self {
        let place = source.floor_char_boundary(place);
        let begin = source[..place].rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            what: what.into(),
            line: source[..begin].matches('\n').count() + 1,
            column: source[begin..place].chars().count() + 1,
            text: source[begin..].lines().next().unwrap_or_default().to_owned(),
        }
    }
}

/// The place, what is wrong, and the line with a mark under the place.
impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, line, column, text } = self;
        write!(f, "line {line}, column {column}: {what}\n    {text}\n    {:>column$}", "^")
    }
}

impl std::error::Error for Wrong {}

/// Compiles a text. Says also whether the program is plain.
pub(super) fn compile(source: &str) -> Result<(jaq_core::Filter<Metered>, bool), Wrong> {
    if source.len() > MAX_BYTES {
        return Err(Wrong::at("", 0, format!("it is {} bytes long: the limit is {MAX_BYTES}", source.len())));
    }
    // A text may be nested as deep as it is long.
    meter::with_stack(|| {
        let tokens = Lexer::new(source).lex().map_err(|errors| lexed_wrong(source, errors))?;
        let term = Parser::new(&tokens).parse(|parser| parser.term()).map_err(|errors| parsed_wrong(source, errors))?;
        let plain = plain::is_plain(&term);
        Ok((program(source)?, plain))
    })
}

fn program(source: &str) -> Result<jaq_core::Filter<Metered>, Wrong> {
    let arena = Arena::default();
    let failed = || Wrong::at(source, 0, "it cannot be read");
    let modules =
        Loader::new(functions::definitions()).load(&arena, File { code: source, path: () }).map_err(|_| failed())?;
    Compiler::default().with_funs(functions::natives()).compile(modules).map_err(|errors| {
        let first = errors.into_iter().flat_map(|(_, errors)| errors).next();
        first.map_or_else(failed, |error| undefined(source, error))
    })
}

fn lexed_wrong(source: &str, errors: Vec<lex::Error<&str>>) -> Wrong {
    match errors.into_iter().next() {
        Some((expected, found)) => {
            Wrong::at(source, span(source, found).start, format!("here should be a {}", expected.as_str()))
        }
        None => Wrong::at(source, 0, "it cannot be read"),
    }
}

fn parsed_wrong(source: &str, errors: Vec<parse::TError<'_, &str>>) -> Wrong {
    let Some((expected, found)) = errors.into_iter().next() else {
        return Wrong::at(source, 0, "it cannot be read");
    };
    let what = match expected {
        parse::Expect::Nothing => "here it should end".to_owned(),
        parse::Expect::Just(word) => format!("here should be `{word}`"),
        expected => format!("here should be a {}", expected.as_str()),
    };
    let place = found.map_or(source.trim_end().len(), |token| span(source, token.0).start);
    Wrong::at(source, place, what)
}

fn undefined(source: &str, (name, kind): compile::Error<&str>) -> Wrong {
    let what = match kind {
        _ if IMPURE.contains(&name) => {
            format!("`{name}` is not to be had: an expression sees its input and nothing else")
        }
        compile::Undefined::Filter(0) => format!("there is no `{name}`; a text stands in quotes, a field after a dot"),
        compile::Undefined::Filter(arity) => format!("there is no `{name}` with {arity} arguments"),
        kind => format!("there is no {} `{name}`", kind.as_str()),
    };
    Wrong::at(source, span(source, name).start, what)
}
