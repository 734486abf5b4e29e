//! Workers in Node with the real library, and what they say that they did.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

/// The two that are in use: the current one, and the last of the major before.
pub(crate) const LIBRARIES: [&str; 2] = ["bullmq", "bullmq5"];

/// One or more processes that work off the jobs of a queue; they end when this is dropped.
pub(crate) struct Workers {
    url: String,
    library: &'static str,
    prefix: &'static str,
    queue: String,
    log: PathBuf,
    options: Value,
    running: Vec<Child>,
}

/// A line of what workers say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) event: String,
    pub(crate) job: String,
    pub(crate) message: String,
    pub(crate) key: Option<String>,
    pub(crate) hand_over: Option<String>,
    pub(crate) pid: u64,
}

impl Workers {
    /// Nobody works yet.
    pub(crate) fn of(url: &str, library: &'static str, queue: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("bullmq-{}-{count}.log", std::process::id()));
        Self {
            url: url.to_owned(),
            library,
            prefix: "bull",
            queue: queue.to_owned(),
            log,
            options: json!({ "concurrency": 16 }),
            running: Vec::new(),
        }
    }

    /// With other options of the library.
    pub(crate) fn with(mut self, options: Value) -> Self {
        self.options = options;
        self
    }

    /// With keys that start otherwise.
    pub(crate) fn prefix(mut self, prefix: &'static str) -> Self {
        self.prefix = prefix;
        self
    }

    /// Starts one process and waits until it is ready.
    pub(crate) fn start(mut self) -> Self {
        self.add();
        self
    }

    /// One more process.
    pub(crate) fn add(&mut self) {
        // The tests of the program use this file too.
        let here = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../posthaste");
        let child = Command::new("node")
            .env("NODE_PATH", here.join("../../target/clients/node_modules"))
            .arg(here.join("tests/it/sinks/bullmq/worker.cjs"))
            .args([self.library, &self.url, self.prefix, &self.queue])
            .arg(&self.log)
            .arg(self.options.to_string())
            .stdout(Stdio::null())
            .spawn()
            .expect("node runs; its libraries are installed by `cargo xtask clients`");
        let pid = u64::from(child.id());
        self.running.push(child);
        let ready = || self.lines().iter().any(|line| line["event"] == "ready" && line["pid"] == pid);
        wait_until("a worker is ready; its libraries are installed by `cargo xtask clients`", ready);
    }

    /// As a crash does.
    pub(crate) fn kill(&mut self) {
        while self.kill_one().is_some() {}
    }

    /// The one that has run for the longest time; the id of its process.
    pub(crate) fn kill_one(&mut self) -> Option<u64> {
        let mut child = (!self.running.is_empty()).then(|| self.running.remove(0))?;
        child.kill().unwrap();
        child.wait().unwrap();
        Some(child.id().into())
    }

    /// Lets jobs that hold go on.
    pub(crate) fn let_go(&self) {
        fs::write(self.log.with_added_extension("go"), "").unwrap();
    }

    /// What was begun and ended, in order.
    pub(crate) fn done(&self) -> Vec<Done> {
        let text = |line: &Value, name: &str| line[name].as_str().map(ToOwned::to_owned);
        let done = |line: &Value| {
            Some(Done {
                event: text(line, "event")?,
                job: text(line, "id")?,
                message: text(line, "message")?,
                key: text(line, "key"),
                hand_over: text(line, "handOver"),
                pid: line["pid"].as_u64()?,
            })
        };
        self.lines().iter().filter_map(done).collect()
    }

    /// The messages of which this is said, in order.
    pub(crate) fn messages(&self, event: &str) -> Vec<String> {
        self.done().into_iter().filter(|done| done.event == event).map(|done| done.message).collect()
    }

    pub(crate) fn wait_for(&self, event: &str, count: usize) {
        wait_until(&format!("{count} times {event}"), || self.messages(event).len() >= count);
    }

    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.kill();
        for ended in ["", "go", "died"] {
            let _ =
                fs::remove_file(if ended.is_empty() { self.log.clone() } else { self.log.with_added_extension(ended) });
        }
    }
}

pub(crate) fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "{what}: in time");
        std::thread::sleep(Duration::from_millis(10));
    }
}
