//! Runs the program in a folder of its own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long anything may take before a test gives up; generous, because machines are busy.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with a config and a database, removed at the end.
pub struct Place {
    pub folder: PathBuf,
}

/// How the program ended, and what it said.
pub struct Answer {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    pub fn empty() -> Self {
        let folder = std::env::temp_dir().join(format!("posthaste-it-{}", uuid::Uuid::now_v7().simple()));
        std::fs::create_dir_all(&folder).unwrap();
        Self { folder }
    }

    /// With the default config and a journal.
    pub fn migrated() -> Self {
        let place = Self::empty();
        place.run(["init"]).succeeds();
        place.run(["migrate"]).succeeds();
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn command(&self) -> Command {
        command(&self.folder)
    }

    pub fn run<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Answer {
        Answer::from(self.command().args(args).output().unwrap())
    }

    /// Runs a command with `--json` that answers with one document.
    pub fn json<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Value {
        let answer = self.run(args.into_iter().chain(["--json"]));
        let lines = answer.json_lines();
        assert_eq!(lines.len(), 1, "{}", answer.stdout);
        lines.into_iter().next().unwrap()
    }

    /// Enqueues a message with these further arguments and returns its id.
    pub fn enqueue<'a>(&self, aggregate: &'a str, more: impl IntoIterator<Item = &'a str>) -> String {
        let args = ["enqueue", "--event-type", "order.paid", "--aggregate", aggregate].into_iter().chain(more);
        self.run(args).succeeds().stdout.trim().to_owned()
    }

    /// A relay in the background, with the messages it prints.
    pub fn relay(&self) -> Relay {
        let mut relay = self.relay_printing_to(Stdio::piped());
        relay.printed = gather(relay.take_stdout());
        relay
    }

    /// A relay whose messages nobody gathers.
    pub fn relay_printing_to(&self, stdout: Stdio) -> Relay {
        Relay::start(self.command().stdout(stdout))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The program, without what the tester's own environment may say to it.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_posthaste"));
    let ours = std::env::vars().map(|(name, _)| name).filter(|name| name.starts_with("POSTHASTE_"));
    for name in ours {
        command.env_remove(name);
    }
    command.current_dir(folder).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Answer {
    #[track_caller]
    pub fn succeeds(self) -> Self {
        self.ends_with(0)
    }

    #[track_caller]
    pub fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    pub fn json_lines(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}")))
            .collect()
    }
}

/// A running relay, killed if the test forgets it.
pub struct Relay {
    child: Child,
    printed: Arc<Mutex<String>>,
    logged: Arc<Mutex<String>>,
}

impl Relay {
    pub fn start(program: &mut Command) -> Self {
        Self::of(program.arg("run"))
    }

    /// Another program that runs a relay, with what it prints.
    pub fn in_program(program: &mut Command) -> Self {
        let mut relay = Self::of(program.stdout(Stdio::piped()));
        relay.printed = gather(relay.take_stdout());
        relay
    }

    fn of(program: &mut Command) -> Self {
        let mut child = program.stderr(Stdio::piped()).spawn().unwrap();
        Self { printed: Arc::default(), logged: gather(child.stderr.take().unwrap()), child }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn take_stdout(&mut self) -> ChildStdout {
        self.child.stdout.take().unwrap()
    }

    pub fn printed(&self) -> String {
        self.printed.lock().unwrap().clone()
    }

    pub fn logged(&self) -> String {
        self.logged.lock().unwrap().clone()
    }

    #[track_caller]
    pub fn prints(&self, text: &str) {
        until(&format!("{text} is printed"), || self.printed().contains(text));
    }

    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for the end, whatever it is.
    #[track_caller]
    pub fn end(&mut self) -> ExitStatus {
        let mut status = None;
        until("the relay has ended", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    /// Waits for the end and returns the exit code.
    pub fn ended(mut self) -> i32 {
        self.end().code().unwrap()
    }

    pub fn stop(self) {
        self.signal("TERM");
        assert_eq!(self.ended(), 0);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn gather(stream: impl std::io::Read + Send + 'static) -> Arc<Mutex<String>> {
    let text = Arc::new(Mutex::new(String::new()));
    let gathered = text.clone();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let mut text = gathered.lock().unwrap();
            text.push_str(&line);
            text.push('\n');
        }
    });
    text
}

/// Waits for a condition.
#[track_caller]
pub fn until(what: &str, holds: impl FnMut() -> bool) {
    until_or(holds, || format!("waited in vain until {what}"));
}

/// Waits for a condition; if that is in vain, `why` says what is known about it.
#[track_caller]
pub fn until_or(mut holds: impl FnMut() -> bool, why: impl FnOnce() -> String) {
    let began = Instant::now();
    while !holds() {
        if began.elapsed() > PATIENCE {
            panic!("{}", why());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
