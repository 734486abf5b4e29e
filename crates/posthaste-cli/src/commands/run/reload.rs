//! SIGHUP: the config is read again.
//!
//! Routes, policies, limits, sinks, retention and the log level can change. The running relay stops gracefully, and another one with
//! the new config starts in the same process and takes the partitions over at once. Settings that need a restart of the program keep
//! their values, and the log names them.

use crate::config::Plan;
use crate::context::Context;

/// A new plan, in which the settings that need a restart are as before.
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
        // A name that the config leaves out is random each time; a running worker keeps its name.
        new.relay.worker = running.relay.worker.clone();
        Self { plan: new, needs_restart }
    }

    /// Logs what happens, and returns the plan.
    pub fn announce(self) -> Plan {
        if self.needs_restart.is_empty() {
            tracing::info!("the config was read again: a relay with the new one takes over");
        } else {
            let sections = self.needs_restart.join(", ");
            tracing::warn!("the config was read again, except for what needs a restart of the program: {sections}");
        }
        self.plan
    }
}
