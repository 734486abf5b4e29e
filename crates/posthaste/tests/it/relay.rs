//! The relay as applications run it, on every store: one named test per guarantee.
//!
//! `outbox` is a store with an application and an operator around it, `receiver` a destination that remembers what it was
//! given and answers as it is told, `meddled` a journal that answers as it is told.

/// Makes a test of each guarantee on each store.
macro_rules! on_every_store {
    ($($guarantee:ident),+ $(,)?) => {
        mod on_memory {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $guarantee() -> posthaste::Result<()> {
                super::$guarantee(crate::relay::outbox::Outbox::in_memory().await).await
            })+
        }

        mod on_sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $guarantee() -> posthaste::Result<()> {
                super::$guarantee(crate::relay::outbox::Outbox::on_sqlite().await).await
            })+
        }

        #[cfg(feature = "postgres")]
        mod on_postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $guarantee() -> posthaste::Result<()> {
                super::$guarantee(crate::relay::outbox::Outbox::on_postgres().await).await
            })+
        }

        #[cfg(feature = "mysql")]
        mod on_mysql {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $guarantee() -> posthaste::Result<()> {
                super::$guarantee(crate::relay::outbox::Outbox::on_mysql().await).await
            })+
        }

        #[cfg(feature = "mongodb")]
        mod on_mongodb {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $guarantee() -> posthaste::Result<()> {
                super::$guarantee(crate::relay::outbox::Outbox::on_mongodb().await).await
            })+
        }
    };
}

mod bad_sinks;
mod bounds;
mod callbacks;
mod claims;
mod dead_letter_destinations;
mod dead_letters;
mod delivering;
mod failing_stores;
mod filtering;
mod hostile;
mod hostile_rows;
mod making;
pub(crate) mod meddled;
mod operating;
mod outages;
mod outbox;
mod pace;
mod purging;
mod receiver;
mod retrying;
mod routing;
mod running;
mod shared_tail;
mod sharing;
mod stuck_keys;
mod together;
mod without_hints;
