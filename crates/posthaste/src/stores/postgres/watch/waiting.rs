//! Waiting on the server until somebody takes a number for a message.

use std::time::Duration;

use tokio::time::Instant;

use super::super::Postgres;
use super::super::session::Statements;
use super::News;
use crate::error::Result;
use crate::stores::question::{Question, looks};
use crate::stores::values::signed;

#[derive(Debug, Default)]
pub(super) struct Waiting {
    question: Question<News>,
    /// The newest number that is known.
    number: Option<i64>,
}

impl Waiting {
    /// Begins to wait, for so long at most, or goes on with it. Says whether that is possible: not behind a pooler, where it would keep a
    /// connection from all others.
    pub(super) fn begins(&mut self, store: &Postgres, tick: u64, most: Duration) -> bool {
        // An answer that is not there in time would be taken for silence.
        let most = most.min(store.shared.options.answer_timeout / 2);
        let ask = || ask(store.clone(), self.number, tick, most);
        !store.shared.pool.manager().meets_pooler() && self.question.is_asked(&store.shared.waiting, ask)
    }

    /// What is new, and whether a number was taken since the last time: as soon as one is, or when the time is over.
    pub(super) async fn answer(&mut self) -> Result<(News, bool)> {
        let news = self.question.answer().await?;
        let moved = news.number != self.number;
        self.number = news.number;
        Ok((news, moved))
    }
}

async fn ask(store: Postgres, number: Option<i64>, tick: u64, most: Duration) -> Result<News> {
    let client = store.client().await?;
    let asked = Instant::now();
    let row = client.query_one(include_str!("../sql/wait.sql"), &[&number, &looks(most), &signed(tick)]).await?;
    Ok(News { number: row.try_get("number")?, ..News::of(&row, asked)? })
}
