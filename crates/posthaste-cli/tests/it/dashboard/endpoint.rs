//! An endpoint that refuses whatever it gets, with a text of the test's choice.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

/// Answers 422 with this body, on threads that end with the test's process.
pub fn refusing(body: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || while refuse(&stream, body).is_some() {});
        }
    });
    address
}

/// One request. `None` when the connection has ended.
fn refuse(mut stream: &TcpStream, body: &str) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(digits) = line.to_lowercase().strip_prefix("content-length:") {
            length = digits.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    reader.read_exact(&mut vec![0; length]).ok()?;
    let head = format!(
        "HTTP/1.1 422 Unprocessable Entity\r\ncontent-type: text/plain\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + body).as_bytes()).ok()
}
