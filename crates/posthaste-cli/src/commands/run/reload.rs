//! SIGHUP: the config is read again.
//!
//! What can change does so by a graceful end of the running relay and the start of another one in the same process, which takes
//! the partitions over at once: routes, policies, limits, sinks, retention and the log level. What cannot is kept as it was, and
//! named.

use crate::config::Plan;
use crate::context::Context;

/// A new plan, with what had to stay.
#[derive(Debug)]
pub struct Reload {
    plan: Plan,
    needs_restart: Vec<&'static str>,
}

impl Reload {
    pub fn read(context: &Context, running: &Plan) -> anyhow::Result<Self> {
        let new = context.plan()?;
        super::check(&new)?;
        Ok(Self::merge(new, running))
    }

    fn merge(mut new: Plan, running: &Plan) -> Self {
        let mut needs_restart = Vec::new();
        let mut keep = |section, changed: bool| {
            if changed {
                needs_restart.push(section);
            }
        };
        keep("store", new.store != running.store);
        keep("http", new.http != running.http);
        keep("otlp", new.otlp != running.otlp);
        keep("log.format", new.log.format != running.log.format);
        new.store = running.store.clone();
        new.http = running.http.clone();
        new.otlp = running.otlp.clone();
        new.log.format = running.log.format;
        // Left out, it is made up anew each time; a worker keeps its name as long as it lives.
        new.relay.worker = running.relay.worker.clone();
        Self { plan: new, needs_restart }
    }

    /// Says what happens, and hands the plan over.
    pub fn announce(self) -> Plan {
        if self.needs_restart.is_empty() {
            tracing::info!("the config was read again: a relay with the new one takes over");
        } else {
            let sections = self.needs_restart.join(", ");
            tracing::warn!("the config was read again, but for what needs a restart of the program: {sections}");
        }
        self.plan
    }
}
