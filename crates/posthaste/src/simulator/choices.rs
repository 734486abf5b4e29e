//! A schedule by a list of choices, and what else could have been chosen.
//!
//! A schedule asks questions: is this request lost, does the worker die now, how long is it away. Unlisted questions are answered
//! by "nothing happens". A schedule is thus named by the few answers that differ, and what it was asked after the last of them
//! says which schedules lie below it. Each schedule lies below exactly one other, so that none is run twice.

use std::fmt;
use std::str::FromStr;

/// One answer that is not "nothing happens".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Choice {
    /// Which question of the schedule, from zero.
    question: u32,
    answer: u32,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Something goes wrong or somebody intervenes: this is what the depth counts.
    Fault,
    /// How exactly it does.
    Detail,
}

/// The answers that make a schedule: `12=1,40=2` for the 12th and the 40th question.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listed(Vec<Choice>);

impl Listed {
    /// How many faults and interventions there are in it.
    pub fn depth(&self) -> usize {
        self.0.iter().filter(|choice| choice.kind == Kind::Fault).count()
    }
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let choices = self.0.iter().map(|choice| format!("{}={}", choice.question, choice.answer));
        f.write_str(&choices.collect::<Vec<_>>().join(","))
    }
}

impl FromStr for Listed {
    type Err = String;

    /// Kinds are not written: whoever runs a schedule again need not count its depth.
    fn from_str(text: &str) -> Result<Self, String> {
        let choice = |part: &str| {
            let (question, answer) = part.split_once('=')?;
            Some(Choice { question: question.parse().ok()?, answer: answer.parse().ok()?, kind: Kind::Fault })
        };
        let choices = text.split(',').filter(|part| !part.is_empty()).map(choice);
        choices.collect::<Option<_>>().map(Self).ok_or_else(|| format!("no list of choices: {text}"))
    }
}

/// A list in use: answers by it, and notes what was asked after its end.
#[derive(Debug, Clone, Default)]
pub(super) struct Choices {
    listed: Listed,
    used: usize,
    asked: u32,
    /// Questions after the last listed one: which, how many answers, and of what kind.
    open: Vec<(u32, u32, Kind)>,
}

impl Choices {
    pub(super) fn of(listed: Listed) -> Self {
        Self { listed, ..Self::default() }
    }

    /// Whether a fault happens here.
    pub(super) fn happens(&mut self) -> bool {
        self.answer(2, Kind::Fault) == 1
    }

    /// One of `n` ways in which it happens.
    pub(super) fn detail(&mut self, n: u64) -> u64 {
        if n < 2 { 0 } else { u64::from(self.answer(n as u32, Kind::Detail)) }
    }

    fn answer(&mut self, answers: u32, kind: Kind) -> u32 {
        let question = self.asked;
        self.asked += 1;
        match self.listed.0.get(self.used) {
            None => self.open.push((question, answers, kind)),
            Some(next) if next.question == question => {
                self.used += 1;
                return next.answer;
            }
            Some(_) => {}
        }
        0
    }

    /// How many questions the schedule asked.
    pub(super) fn asked(&self) -> u32 {
        self.asked
    }

    /// The schedules that differ from this one in one more answer, with at most so many faults. The last comes first.
    pub(super) fn below(&self, depth: usize) -> impl Iterator<Item = Listed> {
        let full = self.listed.depth() >= depth;
        let open = self.open.iter().rev().filter(move |(.., kind)| *kind == Kind::Detail || !full);
        open.flat_map(|(question, answers, kind)| {
            (1..*answers).map(|answer| {
                let mut listed = self.listed.clone();
                listed.0.push(Choice { question: *question, answer, kind: *kind });
                listed
            })
        })
    }
}
