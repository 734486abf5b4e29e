//! Being woken by the database, on request.
//!
//! A writer may `NOTIFY` the channel named like the schema in its transaction; a relay with `listen` wakes up at once. It is
//! off by default because a notification takes a lock that all committing transactions share. The connection is driven by
//! the worker that waits, so nothing runs when none does.

use std::future::{pending, poll_fn};
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::stream::{StreamExt, poll_fn as stream_fn};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_postgres::{AsyncMessage, Client, Connection, Socket};

use super::connection::Way;
use super::{Options, schema};
use crate::error::Result;

type Driven = Connection<
    Socket,
    <tokio_postgres_rustls::MakeRustlsConnect as tokio_postgres::tls::MakeTlsConnect<Socket>>::Stream,
>;

/// How long after a failure it is tried again.
const RETRY: Duration = Duration::from_secs(5);

/// At most one connection that listens.
#[derive(Default)]
pub(super) struct Listener {
    state: Mutex<State>,
}

#[derive(Default)]
enum State {
    #[default]
    Fresh,
    Open(Box<Listening>),
    FailedAt(Instant),
}

struct Listening {
    /// The connection ends with it.
    _client: Client,
    connection: Driven,
}

impl Listener {
    /// Sees to it that there is a connection, if the options ask for one.
    pub(super) async fn ensure(&self, options: &Options, way: &Way) {
        let Ok(mut state) = self.state.try_lock() else { return };
        let must = match &*state {
            State::Fresh => options.listen,
            State::Open(_) => false,
            State::FailedAt(at) => at.elapsed() >= RETRY,
        };
        if must {
            *state = match listen(options, way).await {
                Ok(open) => State::Open(Box::new(open)),
                Err(_) => State::FailedAt(Instant::now()),
            };
        }
    }

    /// Ready when something was notified. Never, if there is no connection or someone else in this process waits on it.
    pub(super) async fn notified(&self) {
        let Ok(mut state) = self.state.try_lock() else { return pending().await };
        let State::Open(open) = &mut *state else { return pending().await };
        loop {
            match poll_fn(|context| open.connection.poll_message(context)).await {
                Some(Ok(AsyncMessage::Notification(_))) => return,
                Some(Ok(_)) => {}
                Some(Err(_)) | None => break,
            }
        }
        *state = State::FailedAt(Instant::now());
        drop(state);
        pending::<()>().await;
    }
}

async fn listen(options: &Options, way: &Way) -> Result<Listening> {
    let (client, mut connection) = way.connect(|config, tls| async move { config.connect(tls).await }).await?;
    {
        let statement = format!("LISTEN {}", schema::quoted(&options.schema));
        let asked = pin!(client.batch_execute(&statement));
        let mut driven = stream_fn(|context| connection.poll_message(context));
        let answer = pin!(async { while let Some(Ok(_)) = driven.next().await {} });
        match select(asked, answer).await {
            Either::Left((listening, _)) => listening?,
            Either::Right(_) => {}
        }
    }
    Ok(Listening { _client: client, connection })
}
