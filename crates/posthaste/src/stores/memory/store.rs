//! The life of the store itself.

use async_trait::async_trait;

use super::{Memory, watch, write};
use crate::error::Result;
use crate::message::Message;
use crate::store::{Store, Watch};

#[async_trait]
impl Store for Memory {
    /// There is nothing to make.
    async fn migrate(&self) -> Result<()> {
        Ok(())
    }

    async fn write(&self, messages: &[Message]) -> Result<Vec<bool>> {
        Ok(write::write(self, messages))
    }

    fn watch(&self) -> Box<dyn Watch> {
        watch::watch(self)
    }
}
