//! As much of MongoDB's protocol as it takes to ask a server to be one: `OP_MSG` with one document of few types.

use std::io::{Read, Write};
use std::net::SocketAddr;

use anyhow::Result;

use crate::services::ask::connect;

/// A document in BSON, without its length and its end.
#[derive(Debug, Default)]
pub struct Document(Vec<u8>);

impl Document {
    pub fn number(self, name: &str, value: i32) -> Self {
        self.field(16, name, &value.to_le_bytes())
    }

    pub fn text(self, name: &str, value: &str) -> Self {
        let length = value.len() as u32 + 1;
        self.field(2, name, &[&length.to_le_bytes(), value.as_bytes(), &[0]].concat())
    }

    pub fn document(self, name: &str, value: Self) -> Self {
        self.field(3, name, &value.complete())
    }

    pub fn list(self, name: &str, values: Vec<Self>) -> Self {
        let numbered = |list: Self, (n, value): (usize, Self)| list.document(&n.to_string(), value);
        let list = values.into_iter().enumerate().fold(Self::default(), numbered);
        self.field(4, name, &list.complete())
    }

    fn field(mut self, kind: u8, name: &str, value: &[u8]) -> Self {
        self.0.push(kind);
        self.0.extend_from_slice(name.as_bytes());
        self.0.push(0);
        self.0.extend_from_slice(value);
        self
    }

    fn complete(&self) -> Vec<u8> {
        let length = self.0.len() as u32 + 5;
        [&length.to_le_bytes(), self.0.as_slice(), &[0]].concat()
    }
}

/// What a server answered, unread.
#[derive(Debug)]
pub struct Answer(Vec<u8>);

impl Answer {
    /// Whether a field of this name is `true`.
    pub fn says(&self, name: &str) -> bool {
        let field = [&[8], name.as_bytes(), &[0, 1]].concat();
        self.0.windows(field.len()).any(|part| part == field)
    }
}

/// Runs a command on one server.
pub fn run(address: SocketAddr, command: &Document) -> Result<Answer> {
    const OP_MSG: u32 = 2013;
    let body = command.complete();
    let length = 16 + 4 + 1 + body.len() as u32;
    let header = [length, 1, 0, OP_MSG, 0].map(u32::to_le_bytes).concat();
    let mut stream = connect(address)?;
    stream.write_all(&[&header, [0].as_slice(), &body].concat())?;
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let mut answer = vec![0; (u32::from_le_bytes(length) as usize).saturating_sub(length.len())];
    stream.read_exact(&mut answer)?;
    Ok(Answer(answer))
}
