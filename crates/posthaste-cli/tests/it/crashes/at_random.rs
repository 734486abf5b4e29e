//! kill -9, whenever.

use super::Chronicle;
use crate::dice::Dice;
use crate::lives::{Life, place_with_lease};
use crate::orders::Orders;

const ROUNDS: usize = 10;
/// Events written while a relay lives.
const PER_ROUND: usize = 100;

#[test]
fn relays_killed_at_random_while_events_are_written_lose_nothing() {
    let place = place_with_lease("1s");
    let (mut orders, mut chronicle, mut dice) = (Orders::at(&place), Chronicle::default(), Dice(7));
    orders.write(PER_ROUND);
    for _ in 0..ROUNDS {
        let life = Life::begin(&place, []);
        // Enough that the guard against messages that kill has seen those of the death before survive.
        let moment = dice.between(PER_ROUND / 4, PER_ROUND);
        std::thread::scope(|scope| {
            scope.spawn(|| orders.write(PER_ROUND));
            life.prints_lines(moment);
        });
        chronicle.add(&place, life.kill());
    }
    chronicle.finish(&place, &mut orders);
}
