//! A NATS of one's own, and a reader that speaks its protocol without the client that the sink uses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};

use crate::servers::free_address;

pub(super) const PASSWORD: &str = "hunter2-and-more";
const PATIENCE: Duration = Duration::from_secs(30);

/// A running server; it ends when it is dropped.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    folder: PathBuf,
    config: String,
    child: Option<Child>,
}

impl Server {
    /// With JetStream, and a user `ann`, unless the config says otherwise.
    pub(super) fn start(config: &str) -> Self {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("nats-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let address = free_address();
        let mut config = format!("listen: \"{address}\"\nmax_payload: 4MB\n{config}\n");
        if !config.contains("jetstream") {
            config += &format!("jetstream {{ store_dir: {:?} }}\n", folder.display().to_string());
        }
        if !config.contains("authorization") {
            config += &format!("authorization {{ user: ann, password: \"{PASSWORD}\" }}\n");
        }
        let mut server = Self { address, folder, config, child: None };
        server.start_again();
        server
    }

    pub(super) fn start_again(&mut self) {
        let path = self.folder.join("nats.conf");
        std::fs::write(&path, &self.config).unwrap();
        let child = Command::new(program()).arg("-c").arg(path).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.child = Some(child.expect("nats-server can be started; `cargo xtask services up nats` installs it"));
        let deadline = Instant::now() + PATIENCE;
        while Connection::before_login(self.address).is_none() {
            assert!(Instant::now() < deadline, "the server starts in time");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// As a crash does.
    pub(super) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub(super) fn url(&self) -> String {
        format!("nats://ann:{PASSWORD}@{}", self.address)
    }

    /// `more` are further settings of the stream, in JSON.
    pub(super) fn create_stream(&self, name: &str, subjects: &str, more: &str) {
        self.api(&format!("STREAM.CREATE.{name}"), &stream(name, subjects, more));
    }

    pub(super) fn update_stream(&self, name: &str, subjects: &str, more: &str) {
        self.api(&format!("STREAM.UPDATE.{name}"), &stream(name, subjects, more));
    }

    /// Everything in a stream, in order.
    pub(super) fn stored(&self, name: &str) -> Vec<Stored> {
        let mut connection = Connection::to(self.address).expect("a connection");
        let info = connection.api(&format!("STREAM.INFO.{name}"), &json!({}));
        let (first, last) = (info["state"]["first_seq"].as_u64().unwrap(), info["state"]["last_seq"].as_u64().unwrap());
        let get = format!("STREAM.MSG.GET.{name}");
        (first.max(1)..=last)
            .map(|seq| Stored::from(&connection.api(&get, &json!({ "seq": seq }))["message"]))
            .collect()
    }

    pub(super) fn positions(&self, name: &str) -> Vec<u64> {
        let position = |stored: &Stored| stored.header("posthaste-position").unwrap().parse().unwrap();
        self.stored(name).iter().map(position).collect()
    }

    pub(super) fn api(&self, call: &str, body: &Value) -> Value {
        Connection::to(self.address).expect("a connection").api(call, body)
    }
}

fn stream(name: &str, subjects: &str, more: &str) -> Value {
    let more = if more.is_empty() { json!({}) } else { serde_json::from_str(more).unwrap() };
    let mut config =
        json!({ "name": name, "subjects": [subjects], "storage": "file", "retention": "limits", "num_replicas": 1 });
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    config
}

/// As `cargo xtask services` has found it.
pub(super) fn program() -> PathBuf {
    let found = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/services/nats/program");
    std::fs::read_to_string(found).map_or_else(|_| "nats-server".into(), |path| path.trim().into())
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A message as the stream has it.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) subject: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) payload: Vec<u8>,
}

impl Stored {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

impl From<&Value> for Stored {
    fn from(message: &Value) -> Self {
        let bytes = |field: &str| BASE64_STANDARD.decode(message[field].as_str().unwrap_or_default()).unwrap();
        let text = String::from_utf8(bytes("hdrs")).unwrap();
        let pair =
            |line: &str| line.split_once(':').map(|(name, value)| (name.to_owned(), value.trim_start().to_owned()));
        let headers = text.split("\r\n").skip(1).filter_map(pair).collect();
        Self { subject: message["subject"].as_str().unwrap().to_owned(), headers, payload: bytes("data") }
    }
}

/// A few lines of the protocol: a question, and its answer.
struct Connection(BufReader<TcpStream>);

impl Connection {
    /// The server speaks first.
    fn before_login(address: SocketAddr) -> Option<Self> {
        let stream = TcpStream::connect(address).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let mut connection = Self(BufReader::new(stream));
        connection.line().filter(|line| line.starts_with("INFO")).map(|_| connection)
    }

    /// Nothing, unless the server lets us in.
    fn to(address: SocketAddr) -> Option<Self> {
        let mut connection = Self::before_login(address)?;
        let login = json!({ "verbose": false, "pedantic": false, "user": "ann", "pass": PASSWORD, "headers": true, "no_responders": true });
        connection.write(&format!("CONNECT {login}\r\nSUB answers 1\r\nPING\r\n"))?;
        connection.line().filter(|line| line.starts_with("PONG")).map(|_| connection)
    }

    fn write(&mut self, text: &str) -> Option<()> {
        self.0.get_mut().write_all(text.as_bytes()).ok()
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.0.read_line(&mut line).ok().filter(|length| *length > 0).map(|_| line)
    }

    fn api(&mut self, call: &str, body: &Value) -> Value {
        let body = body.to_string();
        self.write(&format!("PUB $JS.API.{call} answers {}\r\n{body}\r\n", body.len())).unwrap();
        loop {
            let line = self.line().expect("an answer");
            let Some(rest) = line.strip_prefix("MSG ") else { continue };
            let length: usize = rest.trim_end().rsplit(' ').next().unwrap().parse().unwrap();
            let mut bytes = vec![0; length + 2];
            self.0.read_exact(&mut bytes).unwrap();
            let answer: Value = serde_json::from_slice(&bytes[..length]).unwrap();
            assert!(answer.get("error").is_none(), "{call}: {answer}");
            return answer;
        }
    }
}
