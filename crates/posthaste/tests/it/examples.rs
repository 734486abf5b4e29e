//! The everyday example does what it says. The other examples are programs, and are run where the program `posthaste` is tested.
#![cfg(all(feature = "postgres", feature = "sqlx-postgres"))]

#[path = "../../examples/shop/before.rs"]
mod before;
#[path = "../../examples/shop/main.rs"]
mod main;

/// Lines of code: neither empty nor documentation.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("//!")).collect()
}

/// `text` without the lines that the diff marks with `sign`, each of which it has.
fn without<'a>(text: &'a str, diff: &str, sign: char) -> Vec<&'a str> {
    let mut left = lines(text);
    for line in diff.lines().filter_map(|line| line.strip_prefix(sign)) {
        let at = left.iter().position(|other| *other == line).unwrap_or_else(|| panic!("the diff invents {line}"));
        left.remove(at);
    }
    left
}

#[test]
fn adopting_the_kit_takes_twenty_lines() {
    let (before, after) = (include_str!("../../examples/shop/before.rs"), include_str!("../../examples/shop/main.rs"));
    let readme = include_str!("../../examples/shop/README.md");
    let diff = readme.split("```diff\n").nth(1).and_then(|rest| rest.split("```").next()).expect("there is a diff");
    assert_eq!(without(before, diff, '-'), without(after, diff, '+'));
    assert!(diff.lines().filter(|line| line.starts_with('+')).count() <= 20);
}

#[tokio::test]
async fn the_shop_welcomes_whoever_signs_up_once_and_refuses_the_same_one_twice() {
    use posthaste::testkit::waiting::eventually;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let url = crate::domain::a_database_of_its_own().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = main::serve(&url, listener, async { drop(stopped.await) });
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
