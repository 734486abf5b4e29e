#![expect(clippy::disallowed_methods, reason = "the echo server is a task that ends with its runtime")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::*;

const DEADLINE: Duration = Duration::from_secs(10);
/// Long enough to believe that nothing comes, when nothing must.
const SILENCE: Duration = Duration::from_millis(50);

/// A server that sends back what it gets and counts it.
async fn echo() -> (SocketAddr, Arc<AtomicUsize>) {
    let received = Arc::new(AtomicUsize::new(0));
    let counter = received.clone();
    let address = serve(move |request| {
        counter.fetch_add(request.len(), Ordering::SeqCst);
        request.to_vec()
    });
    (address.await, received)
}

/// A server that answers each request with the number that is the mark at that moment, in four digits.
async fn marking() -> (SocketAddr, Arc<AtomicUsize>) {
    let mark = Arc::new(AtomicUsize::new(0));
    let current = mark.clone();
    let address = serve(move |_| format!("{:04}", current.load(Ordering::SeqCst)).into_bytes());
    (address.await, mark)
}

async fn serve(answer: impl Fn(&[u8]) -> Vec<u8> + Clone + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut buffer = [0; 1024];
                while let Ok(length @ 1..) = client.read(&mut buffer).await {
                    if client.write_all(&answer(&buffer[..length])).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
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
async fn connections_to_a_machine_that_vanished_stay_silent_and_new_ones_pass() {
    let mut line = line().await;
    line.proxy.set(Fault::Vanish).await;
    line.client.write_all(b"anyone?").await.unwrap();
    let mut fresh = TcpStream::connect(line.proxy.address()).await.unwrap();
    assert_eq!(ask(&mut fresh).await.unwrap(), "ping");
    line.proxy.set(Fault::Pass).await;
    assert!(timeout(SILENCE, answer(&mut line.client)).await.is_err(), "the old one stays silent");
    assert_eq!(line.received.load(Ordering::SeqCst), 8);
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

/// What ends a connection whose answer is to be lost.
const AFTER: [Fault; 5] = [Fault::Reset, Fault::Refuse, Fault::Pass, Fault::BlackHole, Fault::CutAfter(1_000)];

/// The server has answered, and the proxy has had no time to look at it yet: the runtime has one thread, and this keeps it.
/// So the proxy finds the answer and the next fault at the same time, and has to lose the answer whichever it takes up first.
#[tokio::test]
async fn an_answer_that_comes_together_with_the_next_fault_is_lost() {
    for round in 0..100 {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = FaultProxy::to(server.local_addr().unwrap()).await.unwrap();
        let mut client = TcpStream::connect(proxy.address()).await.unwrap();
        client.write_all(b"ping").await.unwrap();
        let (mut served, _) = tokio::task::spawn_blocking(move || server.accept().unwrap()).await.unwrap();
        let read =
            tokio::task::spawn_blocking(move || std::io::Read::read_exact(&mut served, &mut [0; 4]).map(|()| served));
        let mut served = read.await.unwrap().unwrap();

        proxy.set(Fault::DropAnswers).await;
        std::io::Write::write_all(&mut served, b"pong").unwrap();
        let after = AFTER[round % AFTER.len()];
        proxy.set(after).await;
        proxy.set(Fault::Pass).await;
        assert!(answer(&mut client).await.is_err(), "round {round}: {after:?} let the answer through");
    }
}

/// Somebody tries to get the address again and again, as the near end of another connection may by chance.
#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_the_proxys_at_every_moment() {
    let (server, _) = echo().await;
    let proxy = FaultProxy::to(server).await.unwrap();
    let (address, over) = (proxy.address(), Arc::new(AtomicUsize::new(0)));
    let is_over = over.clone();
    let others = tokio::task::spawn_blocking(move || {
        let mut tries = 0;
        while is_over.load(Ordering::SeqCst) == 0 {
            assert!(TcpSocket::new_v4().unwrap().bind(address).is_err(), "somebody else has {address}");
            tries += 1;
        }
        tries
    });
    for _ in 0..500 {
        proxy.set(Fault::Refuse).await;
        proxy.set(Fault::Pass).await;
    }
    over.store(1, Ordering::SeqCst);
    assert!(others.await.unwrap() > 0);
    assert_eq!(ask(&mut TcpStream::connect(address).await.unwrap()).await.unwrap(), "ping");
}

/// A reset that is over at once was one.
#[tokio::test]
async fn every_connection_is_gone_when_a_fault_that_ends_connections_is_set() {
    for ending in [Fault::Reset, Fault::Refuse] {
        let (server, _) = echo().await;
        let proxy = FaultProxy::to(server).await.unwrap();
        let mut clients = Vec::new();
        for _ in 0..50 {
            let mut client = TcpStream::connect(proxy.address()).await.unwrap();
            assert_eq!(ask(&mut client).await.unwrap(), "ping");
            clients.push(client);
        }
        proxy.set(ending).await;
        proxy.set(Fault::Pass).await;
        for client in &mut clients {
            assert!(ask(client).await.is_err(), "{ending:?}");
        }
    }
}

/// Answers are marked by what the test has set when the server sends them. Those that were sent while a fault was in force may
/// not be seen by a client, whatever the threads of the runtime do meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_answer_gets_through_after_a_fault_is_in_force() {
    for round in 0..60 {
        let fault = [Fault::DropAnswers, Fault::Reset, Fault::Refuse, Fault::BlackHole][round % 4];
        let (server, mark) = marking().await;
        let proxy = FaultProxy::to(server).await.unwrap();
        let mut clients = JoinSet::new();
        for _ in 0..8 {
            let mut client = TcpStream::connect(proxy.address()).await.unwrap();
            assert_eq!(ask(&mut client).await.unwrap(), "0000");
            clients.spawn(async move {
                while let Ok(mark) = ask(&mut client).await {
                    assert_eq!(mark, "0000", "{fault:?} let an answer through");
                }
            });
        }
        proxy.set(fault).await;
        mark.store(1, Ordering::SeqCst);
        proxy.set(Fault::Reset).await;
        timeout(DEADLINE, clients.join_all()).await.expect("every connection ends");
    }
}
