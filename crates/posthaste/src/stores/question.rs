//! A question that waits on the server until there is something to say. Whoever is woken by something else leaves it and comes back to it
//! later: it keeps its connection until it is answered, so that nobody else has to wait for that.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::error::Result;

/// Between two looks, on the server; as in `sql/wait.sql`.
const LOOK: Duration = Duration::from_millis(3);

/// A question that nobody came back to for so long is forgotten: its connection may be dead, and its answer is old.
pub(super) const FORGOTTEN: Duration = Duration::from_secs(1);

/// How often a question looks in this time.
pub(super) fn looks(time: Duration) -> i32 {
    i32::try_from(time.as_millis() / LOOK.as_millis()).unwrap_or(i32::MAX)
}

/// One of a process asks, because it keeps a connection.
#[derive(Debug)]
pub(super) struct Place(Arc<Semaphore>);

impl Place {
    /// Where nobody could spare a connection, there is none.
    pub(super) fn if_there_is_one(is_there: bool) -> Self {
        Self(Arc::new(Semaphore::new(usize::from(is_there))))
    }
}

pub(super) struct Question<T>(Option<(Instant, BoxFuture<'static, Result<T>>)>);

impl<T: Send + 'static> Question<T> {
    /// Asks, unless that was done before. Says whether there is a question: not if somebody else of this process asks already.
    pub(super) fn is_asked<Asking>(&mut self, place: &Place, ask: impl FnOnce() -> Asking) -> bool
    where
        Asking: Future<Output = Result<T>> + Send + 'static,
    {
        if self.0.as_ref().is_some_and(|(asked, _)| asked.elapsed() > FORGOTTEN) {
            self.0 = None;
        }
        if self.0.is_none()
            && let Ok(place) = Arc::clone(&place.0).try_acquire_owned()
        {
            let asking = ask();
            let question = async move {
                let answer = asking.await;
                drop(place);
                answer
            };
            self.0 = Some((Instant::now(), question.boxed()));
        }
        self.0.is_some()
    }

    /// The answer, however often one comes back for it; nothing is ever answered if nothing was asked.
    pub(super) async fn answer(&mut self) -> Result<T> {
        let Some((_, question)) = &mut self.0 else { std::future::pending().await };
        let answer = question.await;
        self.0 = None;
        answer
    }
}

impl<T> Default for Question<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> fmt::Debug for Question<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Question").field(&self.0.is_some()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_question_is_left_and_come_back_to_and_one_of_a_process_asks() {
        let place = Place::if_there_is_one(true);
        let (mut one, mut other) = (Question::default(), Question::<()>::default());
        let slowly = || async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            Ok(7)
        };
        assert!(one.is_asked(&place, slowly) && !other.is_asked(&place, || ready(Ok(()))));
        let started = Instant::now();
        for _ in 0..2 {
            assert!(tokio::time::timeout(Duration::from_millis(100), one.answer()).await.is_err());
            assert!(one.is_asked(&place, || ready(Ok(8))), "it goes on");
        }
        assert_eq!((one.answer().await.unwrap(), started.elapsed()), (7, Duration::from_millis(300)));
        assert!(other.is_asked(&place, || ready(Ok(()))));
        assert!(!Question::<()>::default().is_asked(&Place::if_there_is_one(false), pending));
    }

    #[tokio::test(start_paused = true)]
    async fn a_question_that_nobody_comes_back_to_is_asked_anew() {
        let (place, mut question) = (Place::if_there_is_one(true), Question::default());
        assert!(question.is_asked(&place, pending));
        tokio::time::advance(FORGOTTEN + LOOK).await;
        assert!(question.is_asked(&place, || ready(Ok(1))));
        assert_eq!(question.answer().await.unwrap(), 1);
    }
}
