//! Reads a stream from its beginning to its end, and goes on when the server was away.

use redis::streams::{StreamReadOptions, StreamReadReply};
use redis::{AsyncCommands, Value, from_redis_value_ref};

use super::PAUSE;
use crate::record::{Done, Record, now_micros};
use crate::{Failure, ready};

pub(super) async fn read(address: &str, stream: &str, record: &'static Record) -> Result<(), Failure> {
    let client = redis::Client::open(format!("redis://{address}"))?;
    ready(None);
    let mut last = "0".to_owned();
    loop {
        if let Err(error) = read_on(&client, stream, &mut last, record).await {
            eprintln!("{error}");
            tokio::time::sleep(PAUSE).await;
        }
    }
}

async fn read_on(client: &redis::Client, stream: &str, last: &mut String, record: &Record) -> Result<(), Failure> {
    let mut connection = client.get_multiplexed_async_connection().await?;
    let options = StreamReadOptions::default().count(1_000);
    loop {
        let reply: StreamReadReply = connection.xread_options(&[stream], &[last.as_str()], &options).await?;
        let entries: Vec<_> = reply.keys.into_iter().flat_map(|key| key.ids).collect();
        for entry in &entries {
            let field = |name: &str| entry.map.get(name).map(bytes).unwrap_or_default();
            let text = |name: &str| String::from_utf8_lossy(&field(name)).into_owned();
            let came = entry.id.split('-').next().and_then(|millis| millis.parse::<u128>().ok());
            let at = came.map_or_else(now_micros, |millis| millis * 1_000);
            record.note_at(at, &text("relay"), &text("posthaste-id"), &field("payload"), Done::Taken);
            last.clone_from(&entry.id);
        }
        if entries.is_empty() {
            tokio::time::sleep(PAUSE / 10).await;
        } else {
            // What is on record need not stay in memory.
            let mut trim = redis::cmd("XTRIM");
            trim.arg(stream).arg("MINID").arg("~").arg(last.as_str()).exec_async(&mut connection).await?;
        }
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    from_redis_value_ref(value).unwrap_or_default()
}
