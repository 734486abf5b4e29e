//! Regular expressions: compiled once for each thread, of bounded size, and matched in time that is linear in the text.

use std::cell::RefCell;
use std::collections::HashMap;

use jaq_core::native::{Filter, bome, v};
use jaq_core::{Cv, RunPtr, ValT as _};
use jaq_std::ValT as _;
use regex::{Captures, Regex, RegexBuilder};

use super::meter::{self, Metered};
use super::value::{Error, ValR, Value};

/// The largest compiled pattern.
const MAX_COMPILED_BYTES: usize = 1 << 20;
/// So many patterns a thread keeps.
const KEPT: usize = 128;
/// Compiling takes about as long as so many steps.
const COMPILE_STEPS: u64 = 1_000;
/// So much text is searched in the time of a step.
const BYTES_PER_STEP: usize = 64;

thread_local! {
    static PATTERNS: RefCell<HashMap<(String, String), Regex>> = RefCell::default();
}

/// Which parts of a text are wanted.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    Matches,
    Between,
    Both,
}

pub(super) fn functions() -> [Filter<RunPtr<Metered>>; 3] {
    [
        ("matches", v(2), |cv| bome(parts(cv, Wanted::Matches))),
        ("split_", v(2), |cv| bome(parts(cv, Wanted::Between))),
        ("split_matches", v(2), |cv| bome(parts(cv, Wanted::Both))),
    ]
}

fn parts(mut cv: Cv<'_, Metered>, wanted: Wanted) -> ValR {
    let (flags, pattern) = (cv.0.pop_var(), cv.0.pop_var());
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| Error::typ(value.clone(), "text"));
    let flags = text(&flags).or_else(|error| if flags == Value::default() { Ok(String::new()) } else { Err(error) })?;
    let regex = compiled(text(&pattern)?, flags.clone())?;
    let subject = cv.1;
    let searched = subject.as_str().ok_or_else(|| Error::typ(subject.clone(), "text"))?;
    meter::spend(1 + (searched.len() / BYTES_PER_STEP) as u64);
    let found = found(&subject, searched, &regex, &flags, wanted)?;
    Ok(found.into_iter().collect())
}

fn found(subject: &Value, searched: &str, regex: &Regex, flags: &str, wanted: Wanted) -> Result<Vec<Value>, Error> {
    let (mut found, mut end) = (Vec::new(), 0);
    let slice = |from: usize, to: usize| subject.as_sub_str(&searched.as_bytes()[from..to]);
    for captures in regex.captures_iter(searched) {
        let Some(whole) = captures.get(0) else { continue };
        if whole.is_empty() && flags.contains('n') {
            continue;
        }
        meter::spend(1);
        if wanted != Wanted::Matches {
            found.push(slice(end, whole.start()));
            end = whole.end();
        }
        if wanted != Wanted::Between {
            found.push(groups(subject, searched, regex, &captures)?);
        }
        if !flags.contains('g') {
            break;
        }
    }
    if wanted != Wanted::Matches {
        found.push(slice(end, searched.len()));
    }
    Ok(found)
}

/// The groups of one match, the whole match first.
fn groups(subject: &Value, searched: &str, regex: &Regex, captures: &Captures<'_>) -> ValR {
    let mut groups = Vec::new();
    for (group, name) in captures.iter().zip(regex.capture_names()) {
        let (offset, length, string) = match group {
            Some(group) => (
                searched[..group.start()].chars().count().cast_signed(),
                group.as_str().chars().count(),
                subject.as_sub_str(group.as_str().as_bytes()),
            ),
            None => (-1, 0, Value::default()),
        };
        let name = name.map(|name| ("name", Value::from(name.to_owned())));
        let fields = [("offset", offset.into()), ("length", length.into()), ("string", string)];
        let fields = fields.into_iter().chain(name).map(|(name, value)| (Value::from(name.to_owned()), value));
        groups.push(Value::from_map(fields)?);
    }
    Ok(groups.into_iter().collect())
}

fn compiled(pattern: String, flags: String) -> Result<Regex, Error> {
    let key = (pattern, flags);
    if let Some(kept) = PATTERNS.with_borrow(|patterns| patterns.get(&key).cloned()) {
        return Ok(kept);
    }
    meter::spend(COMPILE_STEPS);
    let mut builder = RegexBuilder::new(&key.0);
    for flag in key.1.chars() {
        match flag {
            'g' | 'n' => &mut builder,
            'i' => builder.case_insensitive(true),
            'x' => builder.ignore_whitespace(true),
            's' => builder.dot_matches_new_line(true),
            'p' => builder.dot_matches_new_line(true).multi_line(true),
            'l' => builder.swap_greed(true),
            _ => return Err(Error::str(format_args!("there is no flag {flag:?} of patterns"))),
        };
    }
    let regex = builder.size_limit(MAX_COMPILED_BYTES).build();
    let regex = regex.map_err(|_| Error::str("this is no pattern, or too large a one"))?;
    PATTERNS.with_borrow_mut(|patterns| {
        if patterns.len() == KEPT {
            patterns.clear();
        }
        patterns.insert(key, regex.clone());
    });
    Ok(regex)
}
