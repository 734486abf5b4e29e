//! The relay's HTTP server, if the config has one.

#[cfg(feature = "http")]
pub use self::present::Server;

#[cfg(not(feature = "http"))]
pub use self::absent::Server;

#[cfg(feature = "http")]
mod present {
    use std::sync::Arc;

    use posthaste::relay::Monitor;
    use posthaste::store::Store;

    use crate::config::Plan;
    use crate::http;
    use crate::operator::Operator;

    pub struct Server(Option<http::Server>);

    impl Server {
        pub async fn start(plan: &Plan, store: &Arc<dyn Store>, monitor: &Monitor) -> anyhow::Result<Self> {
            let Some(http) = &plan.http else { return Ok(Self(None)) };
            let (operator, files) = (Operator::new(plan, store), http::Files::default());
            let server = http::Server::start(http, operator, monitor.clone(), files).await?;
            tracing::info!(address = %server.address, "HTTP server listens");
            Ok(Self(Some(server)))
        }

        /// From now on it answers that the relay is not ready.
        pub fn stopping(&self) {
            self.0.iter().for_each(|server| server.app.stopping());
        }

        /// The config was read again.
        pub fn reloaded(&self, plan: &Plan, store: &Arc<dyn Store>) {
            self.0.iter().for_each(|server| server.app.replace(Operator::new(plan, store)));
        }
    }
}

/// In a program that is built without feature `http`. A config with `[http]` was refused.
#[cfg(not(feature = "http"))]
mod absent {
    use std::sync::Arc;

    use posthaste::relay::Monitor;
    use posthaste::store::Store;

    use crate::config::Plan;

    pub struct Server;

    impl Server {
        pub async fn start(_: &Plan, _: &Arc<dyn Store>, _: &Monitor) -> anyhow::Result<Self> {
            std::future::ready(Ok(Self)).await
        }

        pub fn stopping(&self) {}

        pub fn reloaded(&self, _: &Plan, _: &Arc<dyn Store>) {}
    }
}
