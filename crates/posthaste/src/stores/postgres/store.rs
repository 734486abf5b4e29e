//! The port of programs; the work is in the files of each verb.

use async_trait::async_trait;

use super::{Postgres, accept, check, migrate, watch, write};
use crate::error::Result;
use crate::inspect::Problem;
use crate::message::Message;
use crate::store::{Store, Watch};

#[async_trait]
impl Store for Postgres {
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

    async fn accept(&self) -> Result<()> {
        accept::accept(self).await
    }
}
