//! What a filter and a small transformation cost for each message, in microseconds. See `xtask/src/bench.rs`.

use std::hint::black_box;
use std::time::Instant;

use posthaste::Message;
use posthaste::expression::{Transform, filter};
use serde_json::{Map, Value, json};

/// The program's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: u32 = 100_000;

const FILTERS: &[(&str, &str)] = &[
    ("field", ".tenant == \"acme\""),
    ("payload", ".payload.amount > 100"),
    ("loop", ".payload.lines | any(.n > 3)"),
    ("pattern", ".event_type | test(\"^order\\\\.\")"),
    ("own_stack", "reduce .payload.lines[] as $line (0; . + $line.n) | . > 3"),
];
const TRANSFORMS: &[(&str, &str)] = &[
    ("fields", ".payload |= {id, amount, currency}"),
    ("header", ".headers.region = \"eu\""),
    ("loop", ".payload.lines |= map({sku, n})"),
];

#[expect(clippy::print_stdout, reason = "the last line is the result")]
fn main() {
    let case = std::env::args().skip(1).find(|arg| !arg.starts_with("--")).unwrap_or_default();
    let message = order();
    let figures: Map<String, Value> = match case.as_str() {
        "filter-us" => FILTERS.iter().map(|(name, source)| ((*name).to_owned(), filter_us(source, &message))).collect(),
        "transform-us" => {
            TRANSFORMS.iter().map(|(name, source)| ((*name).to_owned(), transform_us(source, &message))).collect()
        }
        other => panic!("no case is called {other:?}"),
    };
    println!("{}", Value::Object(figures));
}

/// A message of 500 bytes.
fn order() -> Message {
    let lines: Vec<Value> = (0..5).map(|n| json!({ "sku": format!("sku-{n}"), "n": n, "price": 9.5 })).collect();
    let payload = json!({
        "id": 4711, "amount": 990, "currency": "EUR", "lines": lines,
        "customer": { "name": "Zoë", "mail": "z@example.com", "street": "Rue de la Paix 4", "city": "Paris" },
        "note": "leave it at the door, please, and ring twice; the neighbours take parcels as well", "source": "web",
    });
    let order = Message::builder("order.paid", "order", "4711").tenant("acme").header("x-shop", "north");
    order.json(&payload).build().expect("the message is valid")
}

fn filter_us(source: &str, message: &Message) -> Value {
    let filter = filter(source).expect("it compiles");
    measure(|| assert!(filter.takes(black_box(message)).is_ok()))
}

fn transform_us(source: &str, message: &Message) -> Value {
    let transform = Transform::new(source).expect("it compiles");
    measure(|| assert!(transform.apply(black_box(message)).is_ok()))
}

/// The mean of many, to two digits.
fn measure(mut once: impl FnMut()) -> Value {
    (0..ROUNDS / 10).for_each(|_| once());
    let begun = Instant::now();
    (0..ROUNDS).for_each(|_| once());
    let mean = begun.elapsed().as_secs_f64() * 1e6 / f64::from(ROUNDS);
    ((mean * 100.0).round() / 100.0).into()
}
