//! A Redis or Valkey of one's own, and a reader that speaks its protocol without the client that the sink uses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::servers::free_address;

const PATIENCE: Duration = Duration::from_secs(30);

/// A running server; it ends when it is dropped.
pub(crate) struct Server {
    name: &'static str,
    pub(crate) address: SocketAddr,
    pub(crate) folder: PathBuf,
    options: Vec<String>,
    child: Option<Child>,
}

impl Server {
    /// A Redis that keeps what it has over a restart.
    #[cfg(feature = "redis")]
    pub(crate) fn start(options: &[&str]) -> Self {
        Self::of("redis", options)
    }

    /// The same of this name: `redis` or `valkey`.
    pub(crate) fn of(name: &'static str, options: &[&str]) -> Self {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        let mut server = Self { name, address: free_address(), folder, options, child: None };
        server.start_again();
        server
    }

    pub(crate) fn start_again(&mut self) {
        let child = Command::new(program(self.name))
            .args(["--bind", "127.0.0.1", "--port", &self.address.port().to_string(), "--save", ""])
            .args(["--appendonly", "yes", "--appendfsync", "always", "--dir"])
            .arg(&self.folder)
            .args(&self.options)
            .stdout(Stdio::null())
            .spawn();
        self.child = Some(child.expect("it can be started: `cargo xtask services up redis valkey` installs it"));
        self.wait_until(|server| !matches!(server.try_command(&["PING"]), None | Some(Reply::Error(_))));
    }

    /// As a crash does.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    /// With the password, if it wants one.
    #[cfg(feature = "bullmq")]
    pub(crate) fn full_url(&self) -> String {
        match self.password() {
            Some(password) => format!("redis://:{password}@{}", self.address),
            None => self.url(),
        }
    }

    fn password(&self) -> Option<&String> {
        let at = self.options.iter().position(|option| option == "--requirepass")?;
        self.options.get(at + 1)
    }

    pub(crate) fn wait_until(&self, condition: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !condition(self) {
            assert!(Instant::now() < deadline, "the server gets there in time");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Everything in a stream, in order.
    pub(crate) fn entries(&self, stream: &str) -> Vec<Entry> {
        let Reply::List(entries) = self.command(&["XRANGE", stream, "-", "+"]) else { panic!("a stream") };
        entries.into_iter().map(Entry::from).collect()
    }

    pub(crate) fn command(&self, words: &[&str]) -> Reply {
        match self.try_command(words) {
            Some(Reply::Error(says)) => panic!("{words:?}: {says}"),
            Some(reply) => reply,
            None => panic!("the server answers"),
        }
    }

    fn try_command(&self, words: &[&str]) -> Option<Reply> {
        let mut connection = Connection::to(self.address)?;
        if let Some(password) = self.password() {
            connection.command(&["AUTH", password])?;
        }
        connection.command(words)
    }
}

/// As `cargo xtask services` has found it.
pub(crate) fn program(name: &str) -> PathBuf {
    let found = format!("{}/../../target/services/{name}/program", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(found).map_or_else(|_| format!("{name}-server").into(), |path| path.trim().into())
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reply {
    Text(Vec<u8>),
    Number(i64),
    List(Vec<Reply>),
    Nil,
    Error(String),
}

impl Reply {
    pub(crate) fn bytes(self) -> Vec<u8> {
        match self {
            Self::Text(bytes) => bytes,
            other => panic!("a text, not {other:?}"),
        }
    }

    fn list(self) -> Vec<Self> {
        match self {
            Self::List(items) => items,
            other => panic!("a list, not {other:?}"),
        }
    }
}

/// Names and values of a stream's entry, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry(pub(crate) Vec<(String, Vec<u8>)>);

impl Entry {
    pub(crate) fn take(&mut self, name: &str) -> Option<Vec<u8>> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.clone().take(name).map(|value| String::from_utf8(value).unwrap())
    }
}

impl From<Reply> for Entry {
    fn from(reply: Reply) -> Self {
        let fields = reply.list().pop().unwrap().list();
        let text = |bytes: &Reply| String::from_utf8(bytes.clone().bytes()).unwrap();
        Self(fields.chunks(2).map(|pair| (text(&pair[0]), pair[1].clone().bytes())).collect())
    }
}

/// A few lines of RESP.
pub(crate) struct Connection(BufReader<TcpStream>);

impl Connection {
    pub(crate) fn to(address: SocketAddr) -> Option<Self> {
        let stream = TcpStream::connect(address).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        Some(Self(BufReader::new(stream)))
    }

    pub(crate) fn command(&mut self, words: &[&str]) -> Option<Reply> {
        let mut request = format!("*{}\r\n", words.len());
        words.iter().for_each(|word| request += &format!("${}\r\n{word}\r\n", word.len()));
        self.0.get_mut().write_all(request.as_bytes()).ok()?;
        self.reply()
    }

    pub(crate) fn reply(&mut self) -> Option<Reply> {
        let mut line = String::new();
        self.0.read_line(&mut line).ok().filter(|length| *length > 0)?;
        let (kind, rest) = line.trim_end().split_at(1);
        let number = || rest.parse::<i64>().unwrap();
        Some(match kind {
            "+" => Reply::Text(rest.into()),
            "-" => Reply::Error(rest.into()),
            ":" => Reply::Number(number()),
            "$" | "*" if number() < 0 => Reply::Nil,
            "$" => {
                let mut bytes = vec![0; number() as usize + 2];
                self.0.read_exact(&mut bytes).ok()?;
                bytes.truncate(bytes.len() - 2);
                Reply::Text(bytes)
            }
            "*" => Reply::List((0..number()).map(|_| self.reply()).collect::<Option<_>>()?),
            _ => panic!("RESP, not {line:?}"),
        })
    }
}
