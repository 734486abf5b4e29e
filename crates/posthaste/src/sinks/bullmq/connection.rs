//! The queues that jobs go to, each with a connection of its own that waits for its events.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::events::BLOCK;
use super::queue::Queue;
use super::settings::Settings;
use crate::sink::Error;
use crate::sink::redis_client::{Address, Connection};

/// Queues that nobody uses are forgotten beyond this many: templates can make one for every tenant.
const MOST_IDLE: usize = 64;

pub(super) struct Queues {
    settings: Settings,
    commands: Arc<Connection>,
    known: Mutex<HashMap<String, Arc<Queue>>>,
}

impl Queues {
    pub(super) fn new(settings: &Settings, commands: Arc<Connection>) -> Self {
        Self { settings: settings.clone(), commands, known: Mutex::default() }
    }

    pub(super) fn get(&self, name: &str) -> Result<Arc<Queue>, Error> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = known.get(name) {
            return Ok(queue.clone());
        }
        if known.len() >= MOST_IDLE {
            known.retain(|_, queue| Arc::strong_count(queue) > 1);
        }
        let queue = Arc::new(self.open(name)?);
        known.insert(name.to_owned(), queue.clone());
        Ok(queue)
    }

    fn open(&self, name: &str) -> Result<Queue, Error> {
        let address = self.settings.address();
        let patient = Address { response_timeout: address.response_timeout + BLOCK, ..address };
        // The settings were used before, for the commands.
        let events = Connection::new(&patient).map_err(Error::unreachable)?;
        Ok(Queue::new(format!("{}:{name}:", self.settings.prefix), self.commands.clone(), events))
    }
}
