//! NATS JetStream: messages of streams.
//!
//! A run is published as fast as the connection takes it, and then its acknowledgements are awaited in order; the first that does
//! not come, or says no, ends the run. What stands behind it may have been stored all the same. Two things keep the order then:
//!
//! * One connection carries a run from its first message to its last. Nothing is sent on a new one that was meant for the old
//!   (`link.rs`), so the server has stored all of a run up to some message, and none after it. What was not confirmed is sent
//!   again, in order, and what is there already the server recognises by `Nats-Msg-Id`.
//! * What the server may refuse by itself, a subject it has not taken yet or a message larger than those it has, travels alone
//!   (`proven.rs`).
//!
//! A stream that refuses new messages while it is full, and one on several servers that loses its leader, can still take a
//! message after it has refused the one before. With `fence` it cannot: each message then names the one it follows, and waits
//! for it.

use std::collections::VecDeque;
use std::fmt;

use async_nats::jetstream::Context;
use async_nats::jetstream::context::PublishAckFuture;
use async_trait::async_trait;

use self::fence::Fence;
use self::link::Link;
use self::outbound::{Outbound, SubjectRule};
use self::proven::Proven;
pub use self::settings::{Settings, Tls, Urls};
use crate::sink::{Delivery, Error, Outcome, Run, Sink, Verdict};
use crate::sinks::settings::Misfit;

mod fence;
mod link;
mod outbound;
mod proven;
mod settings;
#[cfg(test)]
mod tests;
mod verdict;

/// Of one run; over all runs the client has a bound of its own.
const MAX_IN_FLIGHT: usize = 256;

/// Publishes to JetStream.
pub struct Nats {
    settings: Settings,
    link: Link,
    proven: Proven,
    fence: Fence,
}

impl Nats {
    /// Checks the settings. Connects when there is something to deliver.
    pub fn new(settings: Settings) -> Result<Self, Misfit> {
        let check = settings.subject.check(&SubjectRule);
        check.map_err(|why| Misfit::new("subject", format!("makes a subject that {why}")))?;
        let link = Link::new(&settings)?;
        Ok(Self { settings, link, proven: Proven::default(), fence: Fence::default() })
    }

    /// Delivers over one connection.
    async fn publish(&self, context: &Context, run: &Run) -> (usize, Option<Error>) {
        let mut flight = Flight { sink: self, context, confirmed: 0, unanswered: VecDeque::new() };
        for delivery in &run.deliveries {
            if let Err(error) = flight.send(run, delivery).await {
                // What went before it comes first.
                let error = flight.land(0).await.err().unwrap_or(error);
                return (flight.confirmed, Some(error));
            }
        }
        let landed = flight.land(0).await;
        (flight.confirmed, landed.err())
    }
}

/// What of a run is under way.
struct Flight<'a> {
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

impl Flight<'_> {
    async fn send(&mut self, run: &Run, delivery: &Delivery) -> Result<(), Error> {
        let Nats { settings, proven, fence, .. } = self.sink;
        let outbound = Outbound::of(settings, run, delivery)?;
        outbound.refuse_beyond(self.context.client().max_payload())?;
        let claim = Claim { subject: outbound.subject.clone(), bytes: outbound.bytes };
        let alone = settings.fence || !proven.covers(&claim.subject, claim.bytes);
        self.land(if alone { 0 } else { MAX_IN_FLIGHT - 1 }).await?;
        let after = if settings.fence { Some(fence.last(self.context, &claim.subject).await?) } else { None };
        let sent = self.context.send_publish(claim.subject.clone(), outbound.after(after)).await;
        let sent = sent.map_err(|error| verdict::of_publish(&error, &claim.subject, &self.sink.link))?;
        self.unanswered.push_back((claim, sent));
        if alone { self.land(0).await } else { Ok(()) }
    }

    /// Awaits acknowledgements, in order, until no more than so many are missing.
    async fn land(&mut self, missing: usize) -> Result<(), Error> {
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
                    return Err(verdict::of_ack(&error, &claim.subject, &self.sink.link, self.context).await);
                }
            }
        }
        Ok(())
    }
}

#[async_trait]
impl Sink for Nats {
    async fn deliver(&self, run: &Run) -> Outcome {
        let (context, attempt) = match self.link.context().await {
            Ok(connected) => connected,
            Err(error) => return Outcome::stopped(0, error),
        };
        match self.publish(&context, run).await {
            (_, None) => Outcome::delivered(run),
            (confirmed, Some(error)) => {
                if error.verdict == Verdict::Unreachable {
                    self.link.discard(attempt).await;
                }
                Outcome::stopped(confirmed, error)
            }
        }
    }

    async fn check(&self) -> Result<(), Error> {
        let (context, attempt) = self.link.context().await?;
        let checked = self.link.check(&context).await;
        if checked.is_err() {
            self.link.discard(attempt).await;
        }
        checked
    }
}

impl fmt::Debug for Nats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nats")
            .field("address", &format_args!("{}", self.link))
            .field("subject", &self.settings.subject)
            .finish_non_exhaustive()
    }
}
