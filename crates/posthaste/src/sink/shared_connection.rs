//! A connection that many runs use at once: made when it is needed, made anew after it failed.
//!
//! Many may find it missing at the same time. One of them connects, the others wait for that and take what came of it, be it an
//! error; were each to try for itself, the last one would wait for the time-outs of all.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Mutex;

pub(crate) struct SharedConnection<C, E> {
    state: Mutex<State<C, E>>,
    /// How many attempts to connect have ended.
    attempts: AtomicU64,
}

struct State<C, E> {
    connection: Option<C>,
    error: Option<E>,
}

impl<C, E> Default for SharedConnection<C, E> {
    fn default() -> Self {
        Self { state: Mutex::new(State { connection: None, error: None }), attempts: AtomicU64::new(0) }
    }
}

impl<C: Clone, E: Clone> SharedConnection<C, E> {
    /// The connection, and by which attempt it was made.
    pub(crate) async fn get(&self, connect: impl Future<Output = Result<C, E>>) -> Result<(C, u64), E> {
        let before = self.attempts.load(Ordering::Acquire);
        let mut state = self.state.lock().await;
        let attempts = self.attempts.load(Ordering::Acquire);
        match (&state.connection, &state.error) {
            (Some(connection), _) => return Ok((connection.clone(), attempts)),
            (None, Some(error)) if attempts > before => return Err(error.clone()),
            _ => {}
        }
        let connected = connect.await;
        state.connection = connected.as_ref().ok().cloned();
        state.error = connected.as_ref().err().cloned();
        self.attempts.store(attempts + 1, Ordering::Release);
        connected.map(|connection| (connection, attempts + 1))
    }

    /// The next one connects anew, unless someone has done so since this attempt.
    pub(crate) async fn discard(&self, attempt: u64) {
        let mut state = self.state.lock().await;
        if self.attempts.load(Ordering::Acquire) == attempt {
            state.connection = None;
        }
    }

    /// The next one connects anew.
    #[cfg(any(feature = "bullmq", feature = "redis"))]
    pub(crate) async fn discard_any(&self) {
        self.state.lock().await.connection = None;
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use futures_util::future::join_all;

    use super::*;

    #[tokio::test]
    async fn one_connects_and_all_have_it_until_it_is_discarded() {
        let shared = SharedConnection::<u32, &str>::default();
        assert_eq!(shared.get(ready(Ok(1))).await, Ok((1, 1)));
        assert_eq!(shared.get(ready(Ok(2))).await, Ok((1, 1)));
        shared.discard(1).await;
        assert_eq!(shared.get(ready(Ok(3))).await, Ok((3, 2)));
        shared.discard(1).await;
        assert_eq!(shared.get(ready(Ok(4))).await, Ok((3, 2)), "a late complaint about an earlier one");
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_waited_for_an_attempt_share_its_failure() {
        let shared = SharedConnection::<u32, &str>::default();
        let slow_failure = || async {
            tokio::time::sleep(std::time::Duration::from_secs(5)).await;
            Err("no answer")
        };
        let started = tokio::time::Instant::now();
        let answers = join_all((0..64).map(|_| shared.get(slow_failure()))).await;
        assert!(answers.iter().all(|answer| *answer == Err("no answer")));
        assert_eq!(started.elapsed().as_secs(), 5);
        assert_eq!(shared.get(ready(Ok(1))).await, Ok((1, 2)));
    }
}
