//! Hostile input for the tests of this repository.
//!
//! A target is one reader of bytes from outside, with a check of what must hold whatever it reads. Its input is made of a corpus, of
//! words that the reader knows, and of what breaks readers everywhere. Every case is drawn from the seed, the target's name and the
//! number of the case alone, so that it comes again without those before it.
//!
//! `cargo test` runs each target over its corpus and some thousand cases, `cargo xtask hostile` over a million.

mod corpus;
mod dice;
mod generate;
mod settings;
mod target;
mod traps;

pub use self::dice::Dice;
pub use self::target::{Outcome, Target};

/// Between the fields of an input that has several.
pub const FIELD: u8 = 0x1f;

/// The fields of an input; what is missing is empty.
pub fn fields<const N: usize>(input: &[u8]) -> [&[u8]; N] {
    let mut parts = input.splitn(N, |byte| *byte == FIELD);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

/// The fields of an input as texts, with a mark in the place of what is no UTF-8.
pub fn texts<const N: usize>(input: &[u8]) -> [String; N] {
    fields(input).map(|field| String::from_utf8_lossy(field).into_owned())
}
