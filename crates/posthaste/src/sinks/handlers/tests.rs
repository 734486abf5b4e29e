use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::journal::Partition;
use crate::retry::Verdict;

/// Who was called, in order, and what each handler shall answer.
#[derive(Clone, Default)]
struct Calls(Arc<Mutex<Vec<String>>>);

impl Calls {
    /// A handler that notes its call and answers `answer`.
    fn handler(&self, name: &'static str, answer: Result<(), Error>) -> impl Handler + use<> {
        let calls = self.clone();
        handler_fn(name, move |_, message| {
            calls.0.lock().unwrap().push(format!("{name}:{}", message.aggregate_id));
            let answer = answer.clone();
            async move { answer }
        })
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// A run of one message per order; `progress` belongs to the first.
fn run(event_type: &str, orders: &[&str], progress: Option<Vec<u8>>) -> Run {
    let delivery = |id: &&str| Delivery {
        message: Arc::new(Message::builder(event_type, "order", *id).key("all").build().unwrap()),
        position: Position::seq(1),
        attempt: 2,
        progress: None,
        replayed: false,
        hand_over: None,
    };
    let mut deliveries: Vec<_> = orders.iter().map(delivery).collect();
    deliveries[0].progress = progress;
    Run::new("app", Partition::new(0), deliveries)
}

#[tokio::test]
async fn every_handler_of_a_type_runs_in_the_order_of_registration() {
    let calls = Calls::default();
    let handlers = Handlers::builder()
        .on("order.created", calls.handler("stock", Ok(())))
        .on("order.*", calls.handler("audit", Ok(())))
        .on_any(["order.created", "*"], calls.handler("mail", Ok(())))
        .on("order.paid", calls.handler("ship", Ok(())))
        .build()
        .unwrap();
    let outcome = handlers.deliver(&run("order.created", &["1", "2"], None)).await;
    assert_eq!((outcome.confirmed, outcome.error), (2, None));
    assert_eq!(calls.take(), ["stock:1", "audit:1", "mail:1", "stock:2", "audit:2", "mail:2"]);
}

#[tokio::test]
async fn a_failing_handler_does_not_rerun_its_siblings_and_does_not_keep_them_from_running() {
    let calls = Calls::default();
    let registry = |mail: Result<(), Error>| {
        let builder = Handlers::builder().on("*", calls.handler("stock", Ok(())));
        let builder = builder.on("*", calls.handler("mail", mail)).on("*", calls.handler("audit", Ok(())));
        builder.build().unwrap()
    };
    let broken = registry(Err(Error::retry("smtp says no")));
    let outcome = broken.deliver(&run("order.created", &["1", "2"], None)).await;
    assert_eq!((outcome.confirmed, outcome.error), (0, Some(Error::retry("mail: smtp says no"))));
    assert_eq!(calls.take(), ["stock:1", "mail:1", "audit:1"], "and nothing of the next message");

    let outcome = broken.deliver(&run("order.created", &["1"], outcome.progress)).await;
    assert_eq!(calls.take(), ["mail:1"], "the others are done");

    let outcome = registry(Ok(())).deliver(&run("order.created", &["1"], outcome.progress)).await;
    assert_eq!((outcome.confirmed, outcome.error), (1, None));
    assert_eq!(calls.take(), ["mail:1"], "after a restart as well");
}

#[tokio::test]
async fn progress_outlives_another_order_of_registration_and_new_handlers() {
    let calls = Calls::default();
    let old = Handlers::builder()
        .on("*", calls.handler("a", Ok(())))
        .on("*", calls.handler("b", Err(Error::retry("no"))))
        .build()
        .unwrap();
    let progress = old.deliver(&run("x", &["1"], None)).await.progress;
    calls.take();
    let new = Handlers::builder()
        .on("*", calls.handler("new", Ok(())))
        .on("*", calls.handler("b", Ok(())))
        .on("*", calls.handler("a", Ok(())))
        .build()
        .unwrap();
    assert_eq!(new.deliver(&run("x", &["1"], progress)).await.confirmed, 1);
    assert_eq!(calls.take(), ["new:1", "b:1"]);
}

#[tokio::test]
async fn unreadable_progress_runs_every_handler_again() {
    let calls = Calls::default();
    let handlers = Handlers::builder().on("*", calls.handler("a", Ok(()))).build().unwrap();
    assert_eq!(handlers.deliver(&run("x", &["1"], Some(b"\xffgarbage".to_vec()))).await.confirmed, 1);
    assert_eq!(calls.take(), ["a:1"]);
}

#[tokio::test]
async fn a_panic_is_a_retry_with_its_text_and_the_siblings_run() {
    let calls = Calls::default();
    let handlers = Handlers::builder()
        .on("*", handler_fn("wild", |_, message| async move { panic!("no stock for {}", message.aggregate_id) }))
        .on("*", calls.handler("tame", Ok(())))
        .build()
        .unwrap();
    let outcome = handlers.deliver(&run("x", &["1"], None)).await;
    assert_eq!(outcome.error, Some(Error::retry("wild: panicked: no stock for 1")));
    assert_eq!(calls.take(), ["tame:1"]);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_hangs_is_a_retry_and_the_siblings_run() {
    let calls = Calls::default();
    let handlers = Handlers::builder()
        .on("*", handler_fn("slow", |_, _| std::future::pending()))
        .on("*", calls.handler("quick", Ok(())))
        .timeout(Duration::from_secs(3))
        .build()
        .unwrap();
    let outcome = handlers.deliver(&run("x", &["1"], None)).await;
    assert_eq!(outcome.error, Some(Error::retry("slow: not done within 3s")));
    assert_eq!(outcome.progress, Some(b"[\"quick\"]".to_vec()));
}

#[tokio::test]
async fn an_outage_of_one_handler_keeps_the_success_of_another_and_is_an_outage_after_that() {
    let calls = Calls::default();
    let handlers = Handlers::builder()
        .on("*", calls.handler("stock", Ok(())))
        .on("*", calls.handler("mail", Err(Error::unreachable("down"))))
        .build()
        .unwrap();
    let first = handlers.deliver(&run("x", &["1"], None)).await;
    assert_eq!(first.error.unwrap().verdict, Verdict::Retry);
    let second = handlers.deliver(&run("x", &["1"], first.progress)).await;
    assert_eq!(second.error.unwrap().verdict, Verdict::Unreachable);
    assert_eq!(calls.take(), ["stock:1", "mail:1", "mail:1"]);
}

#[tokio::test]
async fn a_handler_sees_where_the_message_stands() {
    let seen = Arc::new(Mutex::new(None));
    let noted = seen.clone();
    let note = move |ctx: Context, _| {
        *noted.lock().unwrap() = Some(ctx);
        async { Err(Error::new(Verdict::RetryAfter(Duration::from_secs(7)), "later")) }
    };
    let handlers = Handlers::builder().on("*", handler_fn("note", note)).build().unwrap();
    let message = Message::builder("x", "order", "1").tenant("acme").correlation_id("c-1").build().unwrap();
    let mut run = run("x", &["1"], None);
    run.deliveries[0].message = Arc::new(message);
    let outcome = handlers.deliver(&run).await;
    assert_eq!(outcome.error.unwrap().verdict, Verdict::RetryAfter(Duration::from_secs(7)));
    let ctx = seen.lock().unwrap().take().unwrap();
    assert_eq!((ctx.destination.as_str(), ctx.position, ctx.attempt), ("app", Position::seq(1), 2));
    assert_eq!((ctx.correlation_id.as_deref(), ctx.tenant.as_deref()), (Some("c-1"), Some("acme")));
    assert!(ctx.deadline > Instant::now());
    assert!(ctx.cancellation.is_cancelled(), "the call is over");
}

#[tokio::test]
async fn a_handler_that_nobody_waits_for_any_more_is_told() {
    let seen = Arc::new(Mutex::new(None));
    let noted = seen.clone();
    let hang = move |ctx: Context, _| {
        assert!(!ctx.cancellation.is_cancelled());
        *noted.lock().unwrap() = Some(ctx.cancellation);
        std::future::pending()
    };
    let handlers = Handlers::builder().on("*", handler_fn("hang", hang)).build().unwrap();
    let run = run("x", &["1"], None);
    assert!(tokio::time::timeout(Duration::from_millis(50), handlers.deliver(&run)).await.is_err());
    let cancellation = seen.lock().unwrap().take().unwrap();
    cancellation.cancelled().await;
}

#[test]
fn two_handlers_never_share_a_name() {
    let calls = Calls::default();
    let named = |one, other| {
        Handlers::builder().on("a", calls.handler(one, Ok(()))).on("b", calls.handler(other, Ok(()))).build()
    };
    assert!(named("mail", "mail").unwrap_err().to_string().contains("two handlers are named \"mail\""));
    assert!(named("mail", "").is_err());
    assert!(named("mail", "stock").is_ok());
}

#[tokio::test]
async fn a_type_without_handler_is_warned_about_once_and_counts_as_delivered() {
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);
    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().json().with_writer(move || writer.clone()).finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let handlers = Handlers::builder().build().unwrap();
    for event_type in ["order.created", "order.created", "order.paid"] {
        assert_eq!(handlers.deliver(&run(event_type, &["1", "2"], None)).await.confirmed, 2);
    }
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("order.created") && text.contains("order.paid"), "{text}");
}

#[tokio::test]
async fn the_check_asks_every_handler() {
    struct Down;
    #[async_trait]
    impl Handler for Down {
        fn name(&self) -> &str {
            "ledger"
        }
        async fn handle(&self, _: &Context, _: &Message) -> Result<(), Error> {
            Ok(())
        }
        async fn check(&self) -> Result<(), Error> {
            Err(Error::unreachable("no route"))
        }
    }
    let calls = Calls::default();
    let handlers = Handlers::builder().on("*", calls.handler("a", Ok(()))).on("*", Down).build().unwrap();
    assert_eq!(handlers.check().await, Err(Error::unreachable("ledger: no route")));
}
