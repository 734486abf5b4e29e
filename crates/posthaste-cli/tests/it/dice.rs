//! Moments and victims, chosen as if at random.

/// The same numbers every time: a small linear congruential generator is random enough to choose moments.
pub struct Dice(pub u64);

impl Dice {
    /// From `low` up to, and without, `high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (self.0 >> 33) as usize % (high - low)
    }
}
