#![expect(clippy::disallowed_methods, reason = "the echo server is a task that ends with its runtime")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tokio::time::timeout;

use super::*;

const DEADLINE: Duration = Duration::from_secs(10);
/// Long enough to believe that nothing comes, when nothing must.
const SILENCE: Duration = Duration::from_millis(50);

/// A server that sends back what it gets and counts it.
async fn echo() -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, received) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let counter = received.clone();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let counter = counter.clone();
            tokio::spawn(async move {
                let mut buffer = [0; 1024];
                while let Ok(length @ 1..) = client.read(&mut buffer).await {
                    counter.fetch_add(length, Ordering::SeqCst);
                    if client.write_all(&buffer[..length]).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    (address, received)
}

struct Line {
    proxy: FaultProxy,
    client: TcpStream,
    received: Arc<AtomicUsize>,
}

/// A client that has talked through the proxy already.
async fn line() -> Line {
    let (server, received) = echo().await;
    let proxy = FaultProxy::to(server).await.unwrap();
    let mut client = TcpStream::connect(proxy.address()).await.unwrap();
    assert_eq!(ask(&mut client).await.unwrap(), "ping");
    Line { proxy, client, received }
}

async fn ask(client: &mut TcpStream) -> io::Result<String> {
    client.write_all(b"ping").await?;
    answer(client).await
}

async fn answer(client: &mut TcpStream) -> io::Result<String> {
    let mut buffer = [0; 4];
    timeout(DEADLINE, client.read_exact(&mut buffer)).await.expect("an answer or an error in time")?;
    Ok(String::from_utf8_lossy(&buffer).into_owned())
}

/// Waits until the server has got `bytes` in all.
async fn received(line: &Line, bytes: usize) {
    let there = async {
        while line.received.load(Ordering::SeqCst) < bytes {
            tokio::task::yield_now().await;
        }
    };
    timeout(DEADLINE, there).await.expect("the server gets the request");
}

#[tokio::test]
async fn a_delay_holds_up_both_directions() {
    let mut line = line().await;
    line.proxy.set(Fault::Delay(SILENCE)).await;
    let begun = Instant::now();
    assert_eq!(ask(&mut line.client).await.unwrap(), "ping");
    assert!(begun.elapsed() >= 2 * SILENCE);
}

#[tokio::test]
async fn refuse_closes_what_is_open_and_lets_nobody_in_until_it_ends() {
    let mut line = line().await;
    line.proxy.set(Fault::Refuse).await;
    assert!(ask(&mut line.client).await.is_err());
    let refused = TcpStream::connect(line.proxy.address()).await.unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);

    line.proxy.set(Fault::Pass).await;
    let mut client = TcpStream::connect(line.proxy.address()).await.unwrap();
    assert_eq!(ask(&mut client).await.unwrap(), "ping");
}

#[tokio::test]
async fn a_black_hole_is_silent_and_what_it_held_back_comes_when_it_ends() {
    let mut line = line().await;
    line.proxy.set(Fault::BlackHole).await;
    assert!(timeout(SILENCE, ask(&mut line.client)).await.is_err());
    assert_eq!(line.received.load(Ordering::SeqCst), 4, "only what came before");

    line.proxy.set(Fault::Pass).await;
    assert_eq!(answer(&mut line.client).await.unwrap(), "ping");
}

#[tokio::test]
async fn a_cut_lets_so_many_bytes_through_and_ends_the_connection() {
    let mut line = line().await;
    line.proxy.set(Fault::CutAfter(6)).await;
    // Four bytes of this connection were passed before.
    assert!(ask(&mut line.client).await.is_err());
    received(&line, 6).await;
    assert_eq!(line.received.load(Ordering::SeqCst), 6);
}

#[tokio::test]
async fn a_reset_is_seen_as_one_by_old_and_new_connections() {
    let mut line = line().await;
    line.proxy.set(Fault::Reset).await;
    let mut new = TcpStream::connect(line.proxy.address()).await.unwrap();
    for client in [&mut line.client, &mut new] {
        assert_eq!(answer(client).await.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    }
}

#[tokio::test]
async fn a_dropped_answer_is_one_to_a_request_that_arrived() {
    let mut line = line().await;
    line.proxy.set(Fault::DropAnswers).await;
    assert!(timeout(SILENCE, ask(&mut line.client)).await.is_err());
    received(&line, 8).await;

    line.proxy.set(Fault::Pass).await;
    assert!(answer(&mut line.client).await.is_err(), "the lost answer does not come later");
}
