//! Making an input: by changing what is in the corpus, by putting words together, by nesting, or by chance alone.

use crate::FIELD;
use crate::dice::Dice;
use crate::traps::{self, NESTS};

/// What inputs are made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Material<'a> {
    /// Words that the reader knows.
    pub(crate) words: &'a [&'a str],
    pub(crate) corpus: &'a [Vec<u8>],
    /// The longest input.
    pub(crate) longest: usize,
}

/// Most inputs are short, because most mistakes are.
const SHORT: usize = 256;
const MIDDLE: usize = 4_096;

impl Material<'_> {
    /// One input.
    pub(crate) fn input(&self, dice: &mut Dice) -> Vec<u8> {
        let longest = match dice.below(100) {
            0..85 => SHORT,
            85..99 => MIDDLE,
            _ => self.longest,
        };
        let mut input = match dice.below(10) {
            0..4 => self.changed(dice),
            4..8 => self.joined(dice),
            8 => self.nested(dice, longest),
            _ => random(dice),
        };
        input.truncate(longest.min(self.longest));
        input
    }

    fn changed(&self, dice: &mut Dice) -> Vec<u8> {
        if self.corpus.is_empty() {
            return self.joined(dice);
        }
        let mut input = self.corpus[dice.below(self.corpus.len())].clone();
        for _ in 0..1 + dice.few(6) {
            self.change(&mut input, dice);
        }
        input
    }

    fn change(&self, input: &mut Vec<u8>, dice: &mut Dice) {
        let from = dice.below(input.len() + 1);
        let to = (from + dice.few(input.len() - from)).min(input.len());
        match dice.below(9) {
            0 => drop(input.drain(from..to)),
            1 => input.truncate(from),
            2 => drop(input.splice(from..to, self.token(dice))),
            3 | 4 => drop(input.splice(from..from, self.token(dice))),
            5 => {
                let again = input[from..to].repeat(1 + dice.few(8));
                input.splice(to..to, again);
            }
            6 => {
                let other = &self.corpus[dice.below(self.corpus.len())];
                input.truncate(from);
                input.extend_from_slice(&other[dice.below(other.len() + 1)..]);
            }
            7 => self.change_field(input, from, dice),
            _ if from < input.len() => input[from] ^= 1 << dice.below(8),
            _ => input.push(dice.number() as u8),
        }
    }

    /// Another value for one whole field.
    fn change_field(&self, input: &mut Vec<u8>, within: usize, dice: &mut Dice) {
        let from = input[..within].iter().rposition(|byte| *byte == FIELD).map_or(0, |at| at + 1);
        let to = input[within..].iter().position(|byte| *byte == FIELD).map_or(input.len(), |at| within + at);
        input.splice(from..to.max(from), self.token(dice));
    }

    fn joined(&self, dice: &mut Dice) -> Vec<u8> {
        let mut input = Vec::new();
        for _ in 0..=dice.few(40) {
            input.extend_from_slice(&self.token(dice));
        }
        input
    }

    fn nested(&self, dice: &mut Dice, longest: usize) -> Vec<u8> {
        let mut input = self.token(dice);
        let piece = if dice.below(3) == 0 { self.token(dice) } else { dice.pick(NESTS).as_bytes().to_vec() };
        let most = longest / piece.len().max(1);
        input.extend_from_slice(&piece.repeat(dice.few(most)));
        input.extend_from_slice(&self.token(dice));
        input
    }

    fn token(&self, dice: &mut Dice) -> Vec<u8> {
        match dice.below(20) {
            0..12 if !self.words.is_empty() => dice.pick(self.words).into(),
            0..15 => traps::text(dice).into(),
            15..17 => traps::number(dice).into(),
            17 => traps::bytes(dice).into(),
            18 => (0..dice.few(12)).map(|_| b'a' + dice.below(26) as u8).collect(),
            _ => char::from_u32(dice.below(0x11_0000) as u32).unwrap_or('x').to_string().into(),
        }
    }
}

fn random(dice: &mut Dice) -> Vec<u8> {
    (0..dice.few(64)).map(|_| dice.number() as u8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_keep_to_their_length_and_are_of_every_kind() {
        let corpus = [b"one\x1ftwo".to_vec(), Vec::new()];
        let material = Material { words: &["word"], corpus: &corpus, longest: 1_000 };
        let inputs: Vec<Vec<u8>> = (0..5_000).map(|case| material.input(&mut Dice::new(3, "kinds", case))).collect();
        let any = |wanted: &[u8]| inputs.iter().any(|input| input.windows(wanted.len()).any(|part| part == wanted));
        assert!(inputs.iter().all(|input| input.len() <= 1_000));
        assert!(any(b"wordword") && any(b"two") && any(b"[[[[[[[[") && any(b"\xff") && any("٣".as_bytes()));
        assert!(inputs.iter().any(Vec::is_empty) && inputs.iter().any(|input| input.len() == 1_000));
    }
}
