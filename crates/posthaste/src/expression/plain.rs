//! Plain programs: they neither call themselves nor loop, so that how deep they go follows from their text and from the depth of
//! values. They run on the stack of their caller; all others get one of their own.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Pattern, Term};
use jaq_core::path::{Part, Path};

/// What a plain program may call: whatever does its work within bounds of its own.
const PLAIN_CALLS: &[&str] = &[
    "abs",
    "add",
    "all",
    "any",
    "arrays",
    "ascii_downcase",
    "ascii_upcase",
    "booleans",
    "ceil",
    "contains",
    "del",
    "empty",
    "endswith",
    "error",
    "false",
    "first",
    "flatten",
    "floor",
    "from_entries",
    "fromdate",
    "fromdateiso8601",
    "fromjson",
    "group_by",
    "has",
    "in",
    "index",
    "indices",
    "inside",
    "isvalid",
    "join",
    "keys",
    "keys_unsorted",
    "last",
    "length",
    "ltrimstr",
    "map",
    "map_values",
    "max",
    "max_by",
    "min",
    "min_by",
    "not",
    "null",
    "nulls",
    "numbers",
    "objects",
    "reverse",
    "rindex",
    "round",
    "rtrimstr",
    "select",
    "sort",
    "sort_by",
    "split",
    "startswith",
    "strings",
    "sub",
    "gsub",
    "test",
    "to_entries",
    "toboolean",
    "todate",
    "todateiso8601",
    "tojson",
    "tonumber",
    "tostring",
    "trim",
    "true",
    "type",
    "unique",
    "unique_by",
    "utf8bytelength",
    "values",
    "with_entries",
];

/// Whether a program is plain.
pub(super) fn is_plain(term: &Term<&str>) -> bool {
    match term {
        Term::Id | Term::Recurse | Term::Num(_) | Term::Var(_) => true,
        Term::Str(_, parts) => parts.iter().all(|part| !matches!(part, StrPart::Term(term) if !is_plain(term))),
        Term::Arr(term) => term.as_deref().is_none_or(is_plain),
        Term::Obj(fields) => fields.iter().all(|(key, value)| is_plain(key) && value.as_ref().is_none_or(is_plain)),
        Term::Neg(term) => is_plain(term),
        Term::BinOp(left, operator, right) => {
            let binds_plainly = match operator {
                BinaryOp::Pipe(pattern) => pattern.as_ref().is_none_or(is_plain_pattern),
                _ => true,
            };
            is_plain(left) && binds_plainly && is_plain(right)
        }
        Term::TryCatch(term, catch) => is_plain(term) && catch.as_deref().is_none_or(is_plain),
        Term::IfThenElse(branches, other) => {
            branches.iter().all(|(condition, then)| is_plain(condition) && is_plain(then))
                && other.as_deref().is_none_or(is_plain)
        }
        Term::Call(name, arguments) => PLAIN_CALLS.contains(name) && arguments.iter().all(is_plain),
        Term::Path(term, Path(parts)) => is_plain(term) && parts.iter().all(|(part, _)| is_plain_part(part)),
        Term::Def(..) | Term::Fold(..) | Term::Label(..) | Term::Break(_) => false,
    }
}

fn is_plain_part(part: &Part<Term<&str>>) -> bool {
    match part {
        Part::Index(index) => is_plain(index),
        Part::Range(from, to) => [from, to].into_iter().flatten().all(is_plain),
    }
}

fn is_plain_pattern(pattern: &Pattern<&str>) -> bool {
    match pattern {
        Pattern::Var(_) => true,
        Pattern::Arr(patterns) => patterns.iter().all(is_plain_pattern),
        Pattern::Obj(fields) => fields.iter().all(|(key, pattern)| is_plain(key) && is_plain_pattern(pattern)),
    }
}
