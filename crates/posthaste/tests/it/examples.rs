//! The examples do what they say.

#[path = "../../examples/customers.rs"]
mod customers;
#[cfg(feature = "sqlx-postgres")]
#[path = "../../examples/shop.rs"]
mod shop;

#[test]
fn adopting_the_kit_takes_at_most_twenty_lines() {
    let added = include_str!("../../examples/shop.rs").lines().filter(|line| line.ends_with("// +"));
    assert!((1..=20).contains(&added.count()));
}

#[tokio::test]
async fn the_example_of_customers_tells_its_story() {
    let folder = std::env::temp_dir().join(format!("customers-{}", uuid::Uuid::now_v7()));
    std::fs::create_dir(&folder).expect("the temporary directory can be written to");
    let lines = customers::story(&folder).await.expect("the story has a good end");
    let expected = [
        "2 events are written",
        "welcome ann@example.org (correlation signup-1)",
        "history: customer.created.v1 of customer 1",
        "history: customer.updated.v1 of customer 1",
        "replay",
        "welcome ann@example.org (correlation signup-1)",
        "2 events are purged",
    ];
    assert_eq!(lines, expected);
    // A leftover folder is a nuisance, not a failure.
    let _ = std::fs::remove_dir_all(folder);
}

#[cfg(feature = "sqlx-postgres")]
#[tokio::test]
async fn the_shop_welcomes_whoever_signs_up_once_and_refuses_the_same_one_twice() {
    use posthaste::testkit::waiting::eventually;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let url = crate::domain::a_database_of_its_own().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = shop::serve(&url, listener, async { drop(stopped.await) });
    let visiting = async {
        let mut answers = Vec::new();
        for email in ["ann@example.org", "ann@example.org"] {
            let body = format!("{{\"id\": 1, \"email\": \"{email}\"}}");
            let head = "POST /customers HTTP/1.1\r\nhost: shop\r\nconnection: close\r\ncontent-type: application/json";
            let request = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            let mut connection = tokio::net::TcpStream::connect(address).await.unwrap();
            connection.write_all(request.as_bytes()).await.unwrap();
            let mut answer = String::new();
            connection.read_to_string(&mut answer).await.unwrap();
            answers.push(answer.lines().next().unwrap_or_default().to_owned());
        }
        let pool = sqlx::PgPool::connect(&url).await.unwrap();
        let mails =
            || async { sqlx::query_scalar::<_, String>("SELECT recipient FROM mails").fetch_all(&pool).await.unwrap() };
        eventually("a mail is written", || async { Ok(mails().await.len() == 1) }).await.unwrap();
        drop(stop);
        (answers, mails().await)
    };
    let (served, (answers, mails)) = tokio::join!(serving, visiting);
    served.unwrap();
    assert_eq!(answers, ["HTTP/1.1 201 Created", "HTTP/1.1 409 Conflict"]);
    assert_eq!(mails, ["ann@example.org"]);
}
