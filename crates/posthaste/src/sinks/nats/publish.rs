//! Publishing a run over one connection, and awaiting its acknowledgements in order.

use std::collections::VecDeque;

use async_nats::jetstream::Context;
use async_nats::jetstream::context::PublishAckFuture;

use super::encode::Publication;
use super::{Nats, verdict};
use crate::sink::{Delivery, Error, Run};

/// Of one run; over all runs the client has a bound of its own.
const MAX_IN_FLIGHT: usize = 256;

impl Nats {
    /// Delivers over one connection.
    pub(super) async fn publish(&self, context: &Context, run: &Run) -> (usize, Option<Error>) {
        let mut in_flight = InFlight { sink: self, context, confirmed: 0, unanswered: VecDeque::new() };
        for delivery in &run.deliveries {
            if let Err(error) = in_flight.send(run, delivery).await {
                // What went before it comes first.
                let error = in_flight.settle(0).await.err().unwrap_or(error);
                return (in_flight.confirmed, Some(error));
            }
        }
        let settled = in_flight.settle(0).await;
        (in_flight.confirmed, settled.err())
    }
}

/// What of a run is under way.
struct InFlight<'a> {
    sink: &'a Nats,
    context: &'a Context,
    confirmed: usize,
    unanswered: VecDeque<(Claim, PublishAckFuture)>,
}

/// What an acknowledgement proves.
struct Claim {
    subject: String,
    bytes: usize,
}

impl InFlight<'_> {
    async fn send(&mut self, run: &Run, delivery: &Delivery) -> Result<(), Error> {
        let Nats { settings, proven, fence, .. } = self.sink;
        let publication = Publication::of(settings, run, delivery)?;
        publication.refuse_beyond(self.context.client().max_payload())?;
        let claim = Claim { subject: publication.subject.clone(), bytes: publication.bytes };
        let alone = settings.fence || !proven.covers(&claim.subject, claim.bytes);
        self.settle(if alone { 0 } else { MAX_IN_FLIGHT - 1 }).await?;
        let after = if settings.fence { Some(fence.last(self.context, &claim.subject).await?) } else { None };
        let sent = self.context.send_publish(claim.subject.clone(), publication.after(after)).await;
        let sent = sent.map_err(|error| verdict::of_publish(&error, &claim.subject, &self.sink.connection))?;
        self.unanswered.push_back((claim, sent));
        if alone { self.settle(0).await } else { Ok(()) }
    }

    /// Awaits acknowledgements, in order, until no more than so many are missing.
    async fn settle(&mut self, missing: usize) -> Result<(), Error> {
        while self.unanswered.len() > missing {
            let Some((claim, answer)) = self.unanswered.pop_front() else { break };
            match answer.await {
                Ok(ack) => {
                    self.confirmed += 1;
                    if self.sink.settings.fence {
                        self.sink.fence.learn(&claim.subject, ack.sequence);
                    }
                    self.sink.proven.learn(self.context, &ack.stream, &claim.subject, claim.bytes).await;
                }
                Err(error) => {
                    // The rest stays unconfirmed, whatever becomes of it.
                    self.unanswered.clear();
                    self.sink.fence.forget(&claim.subject);
                    self.sink.proven.forget(&claim.subject);
                    return Err(verdict::of_ack(&error, &claim.subject, &self.sink.connection, self.context).await);
                }
            }
        }
        Ok(())
    }
}
