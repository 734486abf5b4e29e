//! The spans of attempts, if the config has a collector for them.

#[cfg(feature = "otlp")]
pub use self::present::Spans;

#[cfg(not(feature = "otlp"))]
pub use self::absent::Spans;

#[cfg(feature = "otlp")]
mod present {
    use std::sync::Arc;

    use posthaste::relay::Builder;

    use crate::config::Plan;
    use crate::otlp::Otlp;

    pub struct Spans(Option<Otlp>);

    impl Spans {
        pub fn start(plan: &Plan) -> anyhow::Result<Self> {
            let start = |otlp| Otlp::start(otlp, &plan.relay.worker.0);
            Ok(Self(plan.otlp.as_ref().map(start).transpose()?))
        }

        /// A relay that makes spans.
        pub fn of(&self, builder: Builder) -> Builder {
            self.0.iter().fold(builder, |builder, otlp| builder.tracer(Arc::new(otlp.tracer())))
        }

        /// Sends what is left.
        pub async fn stop(self) {
            if let Some(otlp) = self.0 {
                otlp.stop().await;
            }
        }
    }
}

/// In a program that is built without feature `otlp`. A config with `[otlp]` was refused.
#[cfg(not(feature = "otlp"))]
mod absent {
    use posthaste::relay::Builder;

    use crate::config::Plan;

    pub struct Spans;

    impl Spans {
        pub fn start(_: &Plan) -> anyhow::Result<Self> {
            Ok(Self)
        }

        pub fn of(&self, builder: Builder) -> Builder {
            builder
        }

        pub async fn stop(self) {
            std::future::ready(()).await;
        }
    }
}
