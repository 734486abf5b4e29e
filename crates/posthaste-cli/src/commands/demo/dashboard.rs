//! The dashboard of the demo, on a free port of this machine.

#[cfg(feature = "http")]
pub use self::present::Dashboard;

#[cfg(not(feature = "http"))]
pub use self::absent::Dashboard;

#[cfg(feature = "http")]
mod present {
    use std::net::SocketAddr;
    use std::sync::Arc;

    use posthaste::relay::Monitor;
    use posthaste::store::Store;

    use crate::commands::demo::folder::Folder;
    use crate::config::{self, Env, HttpPlan};
    use crate::http::{Files, Server};
    use crate::operator::Operator;

    pub struct Dashboard(Server);

    impl Dashboard {
        pub async fn start(folder: &Folder, store: &Arc<dyn Store>, monitor: &Monitor) -> anyhow::Result<Self> {
            let plan = config::load(Some(&folder.config()), &Env::new())?;
            let http = HttpPlan { bind: SocketAddr::from(([127, 0, 0, 1], 0)), ..HttpPlan::default() };
            let operator = Operator::new(&plan, store);
            Ok(Self(Server::start(&http, operator, monitor.clone(), Files::Embedded).await?))
        }

        pub fn url(&self) -> Option<String> {
            Some(format!("http://{}/ui/", self.0.address))
        }
    }
}

/// In a program that is built without feature `http`.
#[cfg(not(feature = "http"))]
mod absent {
    use std::sync::Arc;

    use posthaste::relay::Monitor;
    use posthaste::store::Store;

    use crate::commands::demo::folder::Folder;

    pub struct Dashboard;

    impl Dashboard {
        pub async fn start(_: &Folder, _: &Arc<dyn Store>, _: &Monitor) -> anyhow::Result<Self> {
            std::future::ready(Ok(Self)).await
        }

        pub fn url(&self) -> Option<String> {
            None
        }
    }
}
