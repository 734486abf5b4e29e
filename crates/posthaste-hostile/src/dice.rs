//! Chance that repeats itself.

/// A small deterministic generator (SplitMix64).
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// From a seed, the name of a target and the number of a case.
    pub fn new(seed: u64, name: &str, case: u64) -> Self {
        let mut dice = Self(seed ^ case.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for byte in name.bytes() {
            dice.0 = dice.number() ^ u64::from(byte);
        }
        dice
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In `0..n`; 0 for nothing to choose from.
    pub fn below(&mut self, n: usize) -> usize {
        (self.number() % n.max(1) as u64) as usize
    }

    /// Mostly small, at times up to `most`: each power of two is as likely as the one before it.
    pub fn few(&mut self, most: usize) -> usize {
        let bits = usize::BITS - most.leading_zeros();
        let bound = 1_usize << self.below(bits as usize + 1);
        self.below(bound.min(most) + 1)
    }

    /// One of them.
    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_the_same_again_and_another_one_is_not() {
        let numbers = |case| (0..4).scan(Dice::new(1, "a", case), |dice, _| Some(dice.number())).collect::<Vec<_>>();
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
        assert_ne!(Dice::new(1, "a", 7).number(), Dice::new(1, "b", 7).number());
        let mut dice = Dice::new(2, "few", 0);
        assert!((0..10_000).all(|_| dice.few(100) <= 100) && (0..10).all(|_| dice.below(0) == 0));
    }
}
