//! What a person should know about the server and the workers behind it.

use std::collections::BTreeMap;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use redis::FromRedisValue;

use super::{Bullmq, Mode};

/// The only policy with which no job gets lost.
const KEEPS_EVERYTHING: &str = "noeviction";

impl Bullmq {
    /// The eviction policy, the workers by queue, and the version that each queue is of. What the server does not let us ask is left out.
    pub(super) async fn surroundings(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(policy) = self.eviction_policy().await.filter(|policy| policy != KEEPS_EVERYTHING) {
            lines.push(format!(
                "warning: maxmemory-policy is {policy}, by which jobs can vanish: set it to {KEEPS_EVERYTHING}"
            ));
        }
        let Some(clients) = self.ask::<String>(redis::cmd("CLIENT").arg("LIST")).await else { return lines };
        let workers = workers(&self.settings.prefix, &clients);
        for (queue, count) in &workers {
            let version = self.version(queue).await.unwrap_or_else(|| "of unknown version".into());
            let noun = if *count == 1 { "worker" } else { "workers" };
            lines.push(format!("queue {queue}: {count} {noun}, {version}"));
        }
        if workers.is_empty() && self.settings.mode == Mode::HandOff {
            let prefix = &self.settings.prefix;
            lines.push(format!("warning: no worker is connected (prefix {prefix}), so that jobs wait until one is"));
        }
        lines
    }

    async fn eviction_policy(&self) -> Option<String> {
        let info = self.ask::<String>(redis::cmd("INFO").arg("memory")).await?;
        info.lines().find_map(|line| line.strip_prefix("maxmemory_policy:")).map(|policy| policy.trim().to_owned())
    }

    /// As the queue's own producers have written it.
    async fn version(&self, queue: &str) -> Option<String> {
        let meta = format!("{}:{queue}:meta", self.settings.prefix);
        let version = self.ask::<Option<String>>(redis::cmd("HGET").arg(meta).arg("version")).await??;
        Some(version.replace("bullmq:", "BullMQ "))
    }

    async fn ask<T: FromRedisValue>(&self, command: &redis::Cmd) -> Option<T> {
        self.commands.query(command).await.ok()
    }
}

/// BullMQ names the connections of workers after the prefix and the queue: `bull:b3V0Ym94`, and `bull:b3V0Ym94:w:name` where the worker
/// has a name. Each has one that waits for jobs.
fn workers(prefix: &str, clients: &str) -> BTreeMap<String, usize> {
    let names = clients.lines().filter_map(|line| line.split(' ').find_map(|field| field.strip_prefix("name=")));
    let mut workers = BTreeMap::new();
    for name in names.filter_map(|name| name.strip_prefix(prefix)?.strip_prefix(':')) {
        let (queue, kind) = name.split_once(':').unwrap_or((name, "w"));
        let decoded = BASE64_STANDARD.decode(queue).ok().and_then(|queue| String::from_utf8(queue).ok());
        if let Some(queue) = decoded.filter(|_| kind.starts_with('w')) {
            *workers.entry(queue).or_default() += 1;
        }
    }
    workers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_known_by_the_names_of_their_connections() {
        let clients = "id=3 addr=1 name=bull:b3V0Ym94 age=1\nid=4 name=bull:b3V0Ym94:w:ann db=0\nid=5 name=bull:b3V0Ym94:qe db=0\n\
            id=6 name= db=0\nid=7 name=other:b3V0Ym94 db=0\n";
        assert_eq!(workers("bull", clients), BTreeMap::from([("outbox".to_owned(), 2)]));
    }
}
