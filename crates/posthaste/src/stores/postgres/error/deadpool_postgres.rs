//! Why a pool has no connection.

use deadpool_postgres::{HookError, PoolError};

use crate::error::{Error, Kind};

impl From<PoolError> for Error {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) => error.into(),
            PoolError::PostCreateHook(HookError::Backend(error)) => error.into(),
            PoolError::PostCreateHook(HookError::Message(text)) => Self::new(Kind::Unavailable, text.into_owned()),
            PoolError::Timeout(_) => Self::new(Kind::Unavailable, "no connection to the database in time"),
            other => Self::new(Kind::Unavailable, "no connection to the database").caused_by(other),
        }
    }
}
