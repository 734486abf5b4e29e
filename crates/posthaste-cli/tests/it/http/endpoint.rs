//! An endpoint that refuses everything.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub struct Endpoint {
    pub address: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl Endpoint {
    /// Answers 503 to whatever comes, on a thread that ends with the test's process.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, asked) = (listener.local_addr().unwrap(), Arc::<AtomicUsize>::default());
        let count = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let count = count.clone();
                std::thread::spawn(move || {
                    while refuse(&stream).is_some_and(|posted| posted) {
                        count.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        Self { address, asked }
    }

    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// One request. `None` when the connection has ended.
fn refuse(mut stream: &TcpStream) -> Option<bool> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    let mut posted = false;
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        posted |= line.starts_with("POST ");
        let lower = line.to_lowercase();
        if let Some(digits) = lower.strip_prefix("content-length:") {
            length = digits.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    reader.read_exact(&mut vec![0; length]).ok()?;
    stream.write_all(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\n\r\nbusy").ok()?;
    Some(posted)
}
