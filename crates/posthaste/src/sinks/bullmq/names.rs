//! What queues and jobs are called.

use crate::sink::template::{Field, Rule, percent_encode};
use crate::sink::{Delivery, Run};

/// Far above what anyone means.
const MAX_BYTES: usize = 512;

/// Names of queues. BullMQ separates the parts of its keys by `:`, so that no name may have one. In the name of a destination it becomes
/// a `-`, as in `kafka:payments` and `outbox-kafka-payments`.
#[derive(Debug)]
pub(super) struct QueueRule;

impl Rule for QueueRule {
    fn field(&self, field: Field, value: &str, name: &mut String) -> Result<(), String> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        match field {
            Field::Destination => percent_encode(&value.replace(':', "-"), plain, name),
            _ => percent_encode(value, plain, name),
        }
        Ok(())
    }

    fn name(&self, name: &str) -> Result<(), String> {
        match name.len() {
            0 => Err("is empty".into()),
            _ if name.contains(':') => Err("has a `:`, which BullMQ refuses: write `-`".into()),
            1..=MAX_BYTES => Ok(()),
            _ => Err(format!("is longer than {MAX_BYTES} bytes")),
        }
    }
}

/// The same for every attempt, and of this destination alone: several may share a queue. Only a hand-over that its worker is to answer is a
/// job of its own: if it fails, the next one has to run although this one was completed.
pub(super) fn job_id(run: &Run, delivery: &Delivery) -> String {
    let mut id = format!("{}-", delivery.message.id);
    percent_encode(run.destination.as_str(), |byte| byte.is_ascii_graphic() && byte != b':', &mut id);
    if let Some(hand_over) = &delivery.hand_over {
        id.extend(["-", hand_over]);
    }
    id
}
