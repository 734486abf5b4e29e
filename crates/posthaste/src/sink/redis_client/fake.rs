//! Somebody who answers in the place of Redis, whatever a test wants.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};

/// Answers every script with the same bytes and hangs up. What a client asks before that is fine.
pub(crate) struct FakeRedis {
    folder: PathBuf,
    answer: Arc<Mutex<Vec<u8>>>,
}

impl FakeRedis {
    /// A socket and not a port: a million connections would leave none.
    #[expect(clippy::disallowed_methods, reason = "the tasks of a test, ended with its runtime")]
    pub(crate) fn start() -> Self {
        let folder = std::env::temp_dir().join(format!("posthaste-fake-redis-{}", uuid::Uuid::now_v7().simple()));
        std::fs::create_dir(&folder).expect("a folder");
        let listener = UnixListener::bind(folder.join("socket")).expect("a socket");
        let answer = Arc::<Mutex<Vec<u8>>>::default();
        let given = Arc::clone(&answer);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&given)));
            }
        });
        Self { folder, answer }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis+unix://{}", self.folder.join("socket").display())
    }

    /// What the next script is answered.
    pub(crate) fn answers(&self, answer: &[u8]) {
        *self.answer.lock().expect("nobody has panicked") = answer.to_vec();
    }
}

impl Drop for FakeRedis {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

async fn serve(mut stream: UnixStream, answer: Arc<Mutex<Vec<u8>>>) {
    let mut asked = Vec::new();
    while stream.read_buf(&mut asked).await.is_ok_and(|read| read > 0) {
        while let Some((name, length)) = command(&asked) {
            let is_script = name.eq_ignore_ascii_case(b"EVALSHA");
            let said =
                if is_script { answer.lock().expect("nobody has panicked").clone() } else { b"+OK\r\n".to_vec() };
            asked.drain(..length);
            if stream.write_all(&said).await.is_err() || is_script {
                return;
            }
        }
    }
}

/// The name of the first command that is there as a whole, and how long it is.
fn command(asked: &[u8]) -> Option<(&[u8], usize)> {
    let (texts, mut at) = number(asked, 0, b'*')?;
    let mut name = None;
    for _ in 0..texts {
        let (length, from) = number(asked, at, b'$')?;
        let text = asked.get(from..from + length)?;
        name.get_or_insert(text);
        at = from + length + 2;
    }
    asked.get(..at).and(Some((name?, at)))
}

/// A line with a number after this mark, and where the next one begins.
fn number(asked: &[u8], at: usize, mark: u8) -> Option<(usize, usize)> {
    let line = asked.get(at..)?;
    let length = line.windows(2).position(|two| two == b"\r\n")?;
    let digits = std::str::from_utf8(line[..length].strip_prefix(&[mark])?).ok()?;
    Some((digits.parse().ok()?, at + length + 2))
}
