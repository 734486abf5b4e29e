//! The life of the store itself. Each verb is in the file of its name.

use async_trait::async_trait;

use super::{MySql, check, migrate, watch, write};
use crate::error::Result;
use crate::inspect::Problem;
use crate::message::Message;
use crate::store::{Store, Watch};

#[async_trait]
impl Store for MySql {
    async fn migrate(&self) -> Result<()> {
        migrate::migrate(self).await
    }

    async fn check(&self) -> Result<Vec<Problem>> {
        check::check(self).await
    }

    async fn write(&self, messages: &[Message]) -> Result<Vec<bool>> {
        write::write(self, messages).await
    }

    fn watch(&self) -> Box<dyn Watch> {
        watch::watch(self)
    }
}
