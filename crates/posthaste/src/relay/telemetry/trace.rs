//! A message followed through systems: the trace context of its writer comes in, every attempt is a span of that trace, and the
//! context of the span goes out with the message.

use std::fmt;
use std::sync::Arc;

use crate::destination::Name;
use crate::message::Headers;
use crate::sink::{Delivery, Outcome, Outcomes, Run};

/// Makes spans of attempts. The relay has none of its own; whoever runs it brings one.
pub trait Tracer: fmt::Debug + Send + Sync {
    /// A message is about to be handed over. The span is to be a child of the context in its headers, if there is one.
    fn begin(&self, destination: &Name, delivery: &Delivery) -> Box<dyn AttemptSpan>;
}

/// One attempt. Dropped without an end, it was called off or got no answer in time.
pub trait AttemptSpan: Send {
    /// What the message carries as its `traceparent` from here on; `None` leaves it as it is.
    fn traceparent(&self) -> Option<String>;

    /// The sink confirmed the message, or this is why not: a line without payloads and secrets.
    fn end(self: Box<Self>, result: Result<(), &str>);
}

/// The spans of a hand-over, by run and in its order.
pub(in crate::relay) struct Spans(Vec<Vec<Box<dyn AttemptSpan>>>);

impl Spans {
    /// Begins a span for each message, and lets the messages carry their contexts. What the store holds stays as it was written.
    pub(in crate::relay) fn begin(tracer: Option<&dyn Tracer>, runs: &mut [Run]) -> Self {
        let Some(tracer) = tracer else { return Self(Vec::new()) };
        Self(runs.iter_mut().map(|run| begin(tracer, run)).collect())
    }

    /// Ends each as the sink says. What got no answer has no end.
    pub(in crate::relay) fn end(self, outcomes: &Outcomes) {
        for (nth, spans) in self.0.into_iter().enumerate() {
            if let Some(outcome) = outcomes.of(nth) {
                end(spans, outcome);
            }
        }
    }
}

fn begin(tracer: &dyn Tracer, run: &mut Run) -> Vec<Box<dyn AttemptSpan>> {
    let Run { destination, deliveries, .. } = run;
    let begin = |delivery: &mut Delivery| {
        let span = tracer.begin(destination, delivery);
        if let Some(context) = span.traceparent() {
            Arc::make_mut(&mut delivery.message).headers.set(Headers::TRACEPARENT, context);
        }
        span
    };
    deliveries.iter_mut().map(begin).collect()
}

/// What an endpoint says below the first line may repeat the payload, and is left out.
fn end(spans: Vec<Box<dyn AttemptSpan>>, outcome: &Outcome) {
    let why = outcome.error.as_ref().and_then(|error| error.text().lines().next()).unwrap_or("not confirmed");
    for (index, span) in spans.into_iter().enumerate() {
        span.end(match index.cmp(&outcome.confirmed) {
            std::cmp::Ordering::Less => Ok(()),
            std::cmp::Ordering::Equal => Err(why),
            std::cmp::Ordering::Greater => Err("a message before it failed"),
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::journal::{Partition, Position};
    use crate::message::Message;
    use crate::sink;

    /// Writes down what happened.
    #[derive(Debug, Clone, Default)]
    struct Diary(Arc<Mutex<Vec<String>>>);

    impl Tracer for Diary {
        fn begin(&self, _: &Name, delivery: &Delivery) -> Box<dyn AttemptSpan> {
            let came = delivery.message.headers.get(Headers::TRACEPARENT).unwrap_or("none").to_owned();
            Box::new(Entry { diary: self.clone(), came })
        }
    }

    struct Entry {
        diary: Diary,
        came: String,
    }

    impl AttemptSpan for Entry {
        fn traceparent(&self) -> Option<String> {
            (self.came != "unseen").then(|| format!("child of {}", self.came))
        }

        fn end(self: Box<Self>, result: Result<(), &str>) {
            self.diary.0.lock().unwrap().push(format!("{}: {result:?}", self.came));
        }
    }

    fn run(contexts: &[&str]) -> Run {
        let message = |context: &&str| Message::builder("e", "order", "1").traceparent(*context).build().unwrap();
        let deliveries = contexts.iter().map(message).map(|message| Delivery::new(message, Position::START));
        Run::new("crm", Partition::new(0), deliveries.collect())
    }

    #[test]
    fn messages_leave_with_the_context_of_their_attempt_and_what_is_stored_stays() {
        let mut run = run(&["a", "unseen"]);
        let stored = run.clone();
        Spans::begin(Some(&Diary::default()), std::slice::from_mut(&mut run));
        let context =
            |run: &Run, at: usize| run.deliveries[at].message.headers.get(Headers::TRACEPARENT).map(str::to_owned);
        assert_eq!([context(&run, 0), context(&run, 1)].map(Option::unwrap), ["child of a", "unseen"]);
        assert_eq!(context(&stored, 0).as_deref(), Some("a"));
    }

    #[test]
    fn each_attempt_ends_as_the_sink_says_and_without_what_the_endpoint_repeats() {
        let diary = Diary::default();
        let mut runs = [run(&["a", "b", "c"]), run(&["d"]), run(&["e"])];
        let spans = Spans::begin(Some(&diary), &mut runs);
        let mut outcomes = Outcomes::awaited(runs.len());
        outcomes.answer(2, Outcome::delivered(&runs[2]));
        outcomes.answer(0, Outcome::stopped(1, sink::Error::retry("answered 503\nthe payload")));
        spans.end(&outcomes);
        let written = diary.0.lock().unwrap().clone();
        let of_first = ["a: Ok(())", "b: Err(\"answered 503\")", "c: Err(\"a message before it failed\")"];
        assert_eq!(written[..3], of_first);
        assert_eq!(written[3..], ["e: Ok(())"], "the second got no answer");
    }
}
