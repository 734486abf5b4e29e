//! An HTTP server that writes down what it hears.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Instant;

pub struct Listener {
    pub address: String,
    heard: Arc<Mutex<Vec<Heard>>>,
}

/// One request with a body.
#[derive(Debug, Clone)]
pub struct Heard {
    /// The request line, then the headers.
    head: Vec<String>,
    pub body: Vec<u8>,
    pub at: Instant,
}

/// The answer to a request. One with a body has a number.
type Answer = dyn Fn(Option<usize>) -> &'static str + Send + Sync;

impl Listener {
    /// Answers with these statuses in turn, and with the last one from then on. A request without a body, such as `HEAD`, gets 200.
    pub fn answering(statuses: &'static [&'static str]) -> Self {
        Self::saying(move |number| number.map_or("200 OK", |number| statuses[number.min(statuses.len()) - 1]))
    }

    /// Answers what `answer` returns, which may take its time: each connection has a thread, which ends with the test's process. Requests
    /// with a body are recorded and numbered from one on; others, such as `HEAD`, have no number.
    pub fn saying(answer: impl Fn(Option<usize>) -> &'static str + Send + Sync + 'static) -> Self {
        Self::on("127.0.0.1:0", answer)
    }

    /// The same at an address of the test's own choice.
    pub fn on(address: &str, answer: impl Fn(Option<usize>) -> &'static str + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let (address, heard) = (listener.local_addr().unwrap().to_string(), Arc::<Mutex<Vec<Heard>>>::default());
        let (notes, answer): (_, Arc<Answer>) = (heard.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (notes, answer) = (notes.clone(), answer.clone());
                std::thread::spawn(move || while converse(&stream, &*answer, &notes).is_some() {});
            }
        });
        Self { address, heard }
    }

    pub fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }
}

impl Heard {
    pub fn header(&self, name: &str) -> Option<&str> {
        let pairs = self.head.iter().skip(1).filter_map(|line| line.split_once(": "));
        pairs.filter(|(candidate, _)| candidate.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }

    #[cfg(feature = "otlp")]
    pub fn path(&self) -> &str {
        self.head[0].split(' ').nth(1).unwrap_or_default()
    }
}

/// One request. `None` when the connection has ended.
fn converse(mut stream: &TcpStream, answer: &Answer, heard: &Mutex<Vec<Heard>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => head.push(line.to_owned()),
        }
    }
    let mut request = Heard { head, body: Vec::new(), at: Instant::now() };
    request.body.resize(request.header("content-length").map_or(0, |length| length.parse().unwrap()), 0);
    reader.read_exact(&mut request.body).ok()?;
    let number = request.head[0].starts_with("POST ").then(|| {
        let mut heard = heard.lock().unwrap();
        heard.push(request);
        heard.len()
    });
    let status = answer(number);
    stream.write_all(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").as_bytes()).ok()
}
