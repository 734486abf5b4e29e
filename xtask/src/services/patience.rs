//! Waiting for servers.

use std::net::SocketAddr;
use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::catalog::Service;

/// How long a server may take to answer, on a machine that is busy with other things.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until the server answers, or one of its processes has ended.
pub fn wait_for_answer<'a>(
    service: &Service,
    addresses: &[SocketAddr],
    children: impl IntoIterator<Item = &'a mut Child>,
) -> Result<()> {
    let mut children: Vec<_> = children.into_iter().collect();
    let mut ended = false;
    let answered = until(PATIENCE, || {
        ended = children.iter_mut().any(|child| !matches!(child.try_wait(), Ok(None)));
        ended || answers(service, addresses)
    });
    match (ended, answered) {
        (true, _) => bail!("{} ended at once", service.name),
        (_, false) => bail!("{} does not answer", service.name),
        _ => Ok(()),
    }
}

fn answers(service: &Service, addresses: &[SocketAddr]) -> bool {
    let answers = || (service.answers)(addresses).is_ok();
    // Whether it could be done yet will be seen by the answers.
    answers() || (service.join)(addresses).is_ok_and(|()| answers())
}

/// Polls until something is so; `false` if it is not in time.
pub fn until(patience: Duration, mut so: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while !so() {
        if begun.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    true
}
