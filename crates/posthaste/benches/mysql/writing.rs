//! An application that writes messages in transactions of its own: by the library, beside an INSERT into a plain outbox with two indexes.

use std::time::{Duration, Instant};

use mysql_async::TxOpts;
use posthaste::Message;
use posthaste::stores::mysql::Outbox;

use crate::claim;
use crate::database::{Database, message};

/// Transactions of each way.
fn transactions(per_transaction: usize) -> usize {
    if per_transaction == 1 { 3_000 } else { 100 }
}

/// How long transactions by the library take, in those into a plain outbox. One of each in turn, on the same connection: the disk has
/// its moods, and both shall see the same.
pub(crate) async fn beside_a_plain_outbox(per_transaction: usize) -> f64 {
    let database = Database::empty("writing").await;
    let mut connection = database.connect().await;
    let (mut by_the_library, mut by_hand) = (Duration::ZERO, Duration::ZERO);
    for round in 0..transactions(per_transaction) {
        let first = round * 2 * per_transaction;
        let messages: Vec<Message> = (first..first + 2 * per_transaction).map(message).collect();
        let (ours, plain) = messages.split_at(per_transaction);
        // Whoever comes second finds things warm.
        for ours_is_next in [round % 2 == 0, round % 2 == 1] {
            let begun = Instant::now();
            let mut transaction = connection.start_transaction(TxOpts::default()).await.expect("a transaction");
            if ours_is_next {
                Outbox::new().enqueue(&mut transaction, ours).await.expect("messages are stored");
            } else {
                claim::write(&mut transaction, plain).await;
            }
            transaction.commit().await.expect("a commit");
            *(if ours_is_next { &mut by_the_library } else { &mut by_hand }) += begun.elapsed();
        }
    }
    (by_the_library.as_secs_f64() / by_hand.as_secs_f64() * 1_000.0).round() / 1_000.0
}
