//! All mutants of a file in one text: each is there beside the original, and which one runs is chosen when the program starts.
//!
//! A build takes longer than most mutants live. So there is one build of all instead of one for each.

use std::cmp::Reverse;
use std::ops::Range;

use anyhow::Result;

use super::mutant::Mutant;
use super::sites::{Site, sites};

/// What stands at the beginning of the library: a mutant may do what the compiler knows to be a mistake.
pub const LENIENCE: &str = "#![allow(arithmetic_overflow, unconditional_panic, overflowing_literals)]\n";

/// What stands at the end of the library: whether this mutant is the chosen one.
pub const CHOICE: &str = "
/// Whether this mutant was chosen when the program started.
pub(crate) fn is_mutant(number: usize) -> bool {
    static CHOSEN: std::sync::LazyLock<usize> =
        std::sync::LazyLock::new(|| std::env::var(\"POSTHASTE_MUTANT\").map_or(0, |number| number.parse().unwrap_or(0)));
    *CHOSEN == number
}
";

/// A text with mutants in it.
#[derive(Debug, Default)]
pub struct Woven {
    pub text: String,
    /// Where each mutant stands in the text, and where all that it may replace does.
    pub fragments: Vec<Fragment>,
    /// Mutants that have no place beside the original, such as those of constants.
    pub left_out: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    pub number: usize,
    pub own: Range<usize>,
    pub around: Range<usize>,
}

/// Weaves mutants, with the numbers to choose them by, into the text of their file.
pub fn weave(text: &str, mutants: &[(usize, &Mutant)]) -> Result<Woven> {
    let sites = sites(text)?;
    let (mut insertions, mut left_out) = (Vec::new(), Vec::new());
    for (number, mutant) in mutants {
        let site = sites.get(&(mutant.genre, mutant.span.start));
        match site.and_then(|site| change(text, *number, mutant, site)) {
            Some(change) => insertions.extend(change),
            None => left_out.push(*number),
        }
    }
    insertions.sort_by_key(|insertion| insertion.order());
    Ok(Woven { left_out, ..insert(text, &insertions) })
}

/// A piece of text that is inserted somewhere: all of a mutant, or its beginning, or its end.
#[derive(Debug)]
struct Insertion {
    number: usize,
    range: Range<usize>,
    is_end: bool,
    text: String,
}

impl Insertion {
    fn at(&self) -> usize {
        if self.is_end { self.range.end } else { self.range.start }
    }

    /// What ends somewhere ends before anything begins there, the inner before the outer. What begins there begins from the outside.
    fn order(&self) -> (usize, u8, Reverse<usize>, Reverse<usize>, usize) {
        let Range { start, end } = self.range;
        match self.is_end {
            true => (end, 0, Reverse(start), Reverse(self.number), 0),
            false if start == end => (start, 1, Reverse(0), Reverse(0), self.number),
            false => (start, 2, Reverse(end), Reverse(0), self.number),
        }
    }
}

fn change(text: &str, number: usize, mutant: &Mutant, site: &Site) -> Option<Vec<Insertion>> {
    let replacement = &mutant.replacement;
    let chosen = format!("crate::is_mutant({number})");
    let point = |at: usize, text: String| Some(vec![Insertion { number, range: at..at, is_end: false, text }]);
    let around = |range: &Range<usize>, before: String, after: &str| {
        let end = Insertion { number, range: range.clone(), is_end: true, text: after.into() };
        Some(vec![Insertion { number, range: range.clone(), is_end: false, text: before }, end])
    };
    match site {
        Site::Body(at) => {
            syn::parse_str::<syn::Expr>(replacement).ok()?;
            point(*at, format!("if {chosen} {{ return {replacement}; }} "))
        }
        Site::Arm(at) => point(*at, format!(" if !{chosen}")),
        Site::Guard(range) if replacement == "true" => around(range, format!("({chosen} || ("), "))"),
        Site::Guard(range) => around(range, format!("(!{chosen} && ("), "))"),
        Site::Expression { whole, changed } => {
            let [before, after] = [whole.start..changed.start, changed.end..whole.end].map(|part| &text[part]);
            let mutated = format!("{before}{replacement}{after}");
            syn::parse_str::<syn::Expr>(&mutated).ok()?;
            around(whole, format!("(if {chosen} {{ {mutated} }} else {{ "), " })")
        }
    }
}

fn insert(text: &str, insertions: &[Insertion]) -> Woven {
    let (mut woven, mut copied) = (Woven::default(), 0);
    for insertion in insertions {
        woven.text.push_str(&text[copied..insertion.at()]);
        copied = insertion.at();
        let start = woven.text.len();
        woven.text.push_str(&insertion.text);
        let own = start..woven.text.len();
        let mut fragments = woven.fragments.iter_mut();
        match fragments.find(|fragment| fragment.number == insertion.number) {
            Some(begun) => begun.around.end = own.end,
            None => woven.fragments.push(Fragment { number: insertion.number, around: own.clone(), own }),
        }
    }
    woven.text.push_str(&text[copied..]);
    woven
}

#[cfg(test)]
mod tests;
