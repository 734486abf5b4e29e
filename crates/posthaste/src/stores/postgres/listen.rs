//! Being told by the database, on request.
//!
//! Whoever writes may `NOTIFY` the channel named like the schema in its transaction; a relay with `listen` wakes up at once. It is
//! off by default because a notification takes a lock that all committing transactions share. The connection is driven by
//! whoever waits, so nothing runs when nobody does.

use std::future::{pending, poll_fn};
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::stream::{StreamExt, poll_fn as stream_fn};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tokio_postgres::{AsyncMessage, Client, Connection, Socket};

use super::{Options, connection, tls};
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
    line: Mutex<State>,
}

#[derive(Default)]
enum State {
    #[default]
    Fresh,
    Open(Box<Line>),
    FailedAt(Instant),
}

struct Line {
    /// The connection ends with it.
    _client: Client,
    connection: Driven,
}

impl Listener {
    /// Sees to it that there is a connection, if someone asked for it.
    pub(super) async fn ensure(&self, options: &Options) {
        let Ok(mut line) = self.line.try_lock() else { return };
        let must = match &*line {
            State::Fresh => options.listen,
            State::Open(_) => false,
            State::FailedAt(at) => at.elapsed() >= RETRY,
        };
        if must {
            *line = match listen(options).await {
                Ok(open) => State::Open(Box::new(open)),
                Err(_) => State::FailedAt(Instant::now()),
            };
        }
    }

    /// Ready when something was notified. Never, if there is no connection or someone else in this process waits on it.
    pub(super) async fn notified(&self) {
        let Ok(mut line) = self.line.try_lock() else { return pending().await };
        let State::Open(open) = &mut *line else { return pending().await };
        loop {
            match poll_fn(|context| open.connection.poll_message(context)).await {
                Some(Ok(AsyncMessage::Notification(_))) => return,
                Some(Ok(_)) => {}
                Some(Err(_)) | None => break,
            }
        }
        *line = State::FailedAt(Instant::now());
        drop(line);
        pending::<()>().await;
    }
}

async fn listen(options: &Options) -> Result<Line> {
    let (client, mut connection) = connection::config(options)?.connect(tls::connector(options)?).await?;
    {
        let statement = format!("LISTEN {}", connection::quoted(&options.schema));
        let asked = pin!(client.batch_execute(&statement));
        let mut driven = stream_fn(|context| connection.poll_message(context));
        let answer = pin!(async { while let Some(Ok(_)) = driven.next().await {} });
        match select(asked, answer).await {
            Either::Left((listening, _)) => listening?,
            Either::Right(_) => {}
        }
    }
    Ok(Line { _client: client, connection })
}
