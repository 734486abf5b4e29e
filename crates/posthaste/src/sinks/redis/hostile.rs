//! Answers that Redis does not give, by the million: nothing counts as delivered that the answer does not say is there.

use posthaste_hostile::{Outcome as Came, Target};
use serde_json::json;

use super::*;
use crate::journal::{Partition, Position};
use crate::message::Message;
use crate::sink::Delivery;
use crate::sink::redis_client::fake::FakeRedis;

const WORDS: &[&str] = &[
    "*0\r\n",
    "*1\r\n",
    "*4\r\n",
    "*7\r\n",
    "*-1\r\n",
    "$-1\r\n",
    "$0\r\n\r\n",
    "$3\r\nOOM\r\n",
    "+OK\r\n",
    "+QUEUED\r\n",
    ":0\r\n",
    ":1\r\n",
    ":2\r\n",
    ":3\r\n",
    ":4\r\n",
    ":5\r\n",
    ":-1\r\n",
    "-ERR x\r\n",
    "-NOSCRIPT x\r\n",
    "-LOADING x\r\n",
    "%0\r\n",
    "~0\r\n",
    "_\r\n",
    "#t\r\n",
    ",1.5\r\n",
    "=7\r\ntxt:OOM\r\n",
    "(4\r\n",
    ">1\r\n",
    "\r\n",
    "*1\r\n:4\r\n",
    "*4\r\n:2\r\n:1\r\n:1\r\n$1\r\nx\r\n",
    "*4\r\n:3\r\n:2\r\n:0\r\n$1\r\nx\r\n",
    "*7\r\n:0\r\n:1\r\n:0\r\n$0\r\n\r\n:2\r\n:0\r\n$0\r\n\r\n",
];

/// Three messages of one key and one of another.
fn runs() -> [Run; 2] {
    let run = |id: &str, messages: u64| {
        let message = || Message::builder("order.placed", "order", id).build().expect("it is valid");
        let deliveries = (1..=messages).map(|n| Delivery::new(message(), Position::seq(n))).collect();
        Run::new("bus", Partition::new(0), deliveries)
    };
    [run("1", 3), run("2", 1)]
}

fn sink(url: &str) -> Redis {
    let settings = json!({ "url": url, "stream": "orders", "connect_timeout": "5s", "response_timeout": "5s" });
    Redis::new(serde_json::from_value(settings).expect("settings")).expect("a sink")
}

/// How many of each run the answer says are there, read another way than the sink does.
fn said(answer: &[u8]) -> Option<[usize; 2]> {
    let mut rest = answer;
    let parts = line(&mut rest, b'*')?;
    let all = line(&mut rest, b':')?;
    let mut there = [3, 1];
    for _ in 0..parts / 3 {
        let (run, messages, text) = (line(&mut rest, b':')?, line(&mut rest, b':')?, line(&mut rest, b'$')?);
        *there.get_mut(run.checked_sub(1)?)? = messages;
        rest = rest.get(text + 2..)?;
    }
    (parts % 3 == 1 && there.iter().sum::<usize>() == all).then_some(there)
}

/// The number of the next line, which begins with this mark.
fn line(rest: &mut &[u8], mark: u8) -> Option<usize> {
    let end = rest.windows(2).position(|two| two == b"\r\n")?;
    // The client takes blanks around a number.
    let number = std::str::from_utf8(rest[..end].strip_prefix(&[mark])?).ok()?.trim().parse().ok()?;
    *rest = &rest[end + 2..];
    Some(number)
}

#[test]
fn nothing_is_delivered_that_an_answer_does_not_say_is_there() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let _entered = runtime.enter();
    let (fake, runs) = (FakeRedis::start(), runs());
    let sink = sink(&fake.url());
    Target::new("broker_answers", WORDS).longest(1_024).cost(10).run(|input| {
        fake.answers(input);
        // Whoever was answered was hung up on.
        runtime.block_on(sink.connection.discard());
        let mut outcomes = Outcomes::awaited(runs.len());
        runtime.block_on(sink.deliver_all(&runs, &mut outcomes));
        let outcomes = [0, 1].map(|nth| outcomes.of(nth).expect("each run has an outcome"));
        let confirmed = outcomes.map(|outcome| outcome.confirmed);
        for (outcome, run) in outcomes.iter().zip(&runs) {
            assert_eq!(outcome.error.is_none(), outcome.confirmed == run.deliveries.len(), "{outcome:?}");
            assert!(outcome.error.as_ref().is_none_or(|error| error.text().len() <= 5_000), "{outcome:?}");
        }
        // What the server sends unasked may stand before its answer.
        let is_said = || (0..input.len()).any(|from| said(&input[from..]) == Some(confirmed));
        assert!(confirmed == [0, 0] || is_said(), "{confirmed:?}");
        if confirmed == [0, 0] { Came::Refused } else { Came::Taken }
    });
}
