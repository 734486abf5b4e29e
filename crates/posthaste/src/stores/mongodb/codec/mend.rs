//! Documents whose values are not what they are said to be: texts that are not UTF-8, above all. The server takes them from clients that write
//! such bytes, and no reader of documents reads them.

use std::ops::Range;

use mongodb::bson::RawDocumentBuf;

/// The server takes documents of up to 180 levels.
const DEEPEST: usize = 200;

/// Kinds of values, as the format numbers them.
mod kind {
    pub(super) const TEXT: u8 = 0x02;
    pub(super) const BINARY: u8 = 0x05;
}

/// A document that can be read.
#[derive(Debug)]
pub(super) struct Mended {
    /// The same with U+FFFD where something was not UTF-8, and with the bytes themselves in the place of a text of the first level: a
    /// payload is what was written.
    pub(super) document: RawDocumentBuf,
    /// The names of those fields of the first level that are not what was written.
    pub(super) changed: Vec<String>,
    /// The document with nothing but its `_id` as it was written, if that is not UTF-8: the only way to find it.
    pub(super) written_id: Option<RawDocumentBuf>,
}

/// Makes a document readable; nothing where even its structure is damaged, which the server lets nobody write.
pub(super) fn mend(bytes: &[u8]) -> Option<Mended> {
    let (mut fields, mut changed, mut written_id) = (Vec::new(), Vec::new(), None);
    let mut walk = Walk { bytes, at: 0 };
    walk.enter()?;
    while let Some(Field { kind, name, value }) = walk.field()? {
        let written = &bytes[value];
        let (mended_kind, mended) = mended(kind, written)?;
        if mended != written {
            changed.push(name.clone());
            if name == "_id" {
                written_id = document(&[Field { kind, name: name.clone(), value: written.to_vec() }]);
            }
        }
        fields.push(Field { kind: mended_kind, name, value: mended });
    }
    Some(Mended { document: document(&fields)?, changed, written_id })
}

/// A value of the first level, and its kind.
fn mended(kind: u8, written: &[u8]) -> Option<(u8, Vec<u8>)> {
    if kind == kind::TEXT && std::str::from_utf8(text_of(written)).is_err() {
        return Some((kind::BINARY, binary(text_of(written))));
    }
    let mut mended = Vec::with_capacity(written.len());
    Walk { bytes: written, at: 0 }.value(kind, &mut mended, 1)?;
    Some((kind, mended))
}

struct Field<V> {
    kind: u8,
    name: String,
    value: V,
}

fn document(fields: &[Field<Vec<u8>>]) -> Option<RawDocumentBuf> {
    let mut bytes = vec![0; 4];
    for field in fields {
        put(&mut bytes, field.kind, &field.name);
        bytes.extend_from_slice(&field.value);
    }
    end(&mut bytes, 0)?;
    RawDocumentBuf::from_bytes(bytes).ok()
}

fn put(bytes: &mut Vec<u8>, kind: u8, name: &str) {
    bytes.push(kind);
    bytes.extend_from_slice(name.as_bytes());
    bytes.push(0);
}

/// Ends the document that began here.
fn end(bytes: &mut Vec<u8>, began: usize) -> Option<()> {
    bytes.push(0);
    let length = i32::try_from(bytes.len() - began).ok()?;
    bytes[began..began + 4].copy_from_slice(&length.to_le_bytes());
    Some(())
}

/// The bytes of a text, without its length and its end.
fn text_of(value: &[u8]) -> &[u8] {
    value.get(4..value.len().saturating_sub(1)).unwrap_or_default()
}

fn binary(bytes: &[u8]) -> Vec<u8> {
    let length = (bytes.len() as u32).to_le_bytes();
    [&length[..], &[0], bytes].concat()
}

/// A place in bytes that say how long they are.
struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Walk<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(bytes)?)?;
        self.at += bytes;
        Some(taken)
    }

    fn length(&mut self) -> Option<usize> {
        let length = i32::from_le_bytes(self.take(4)?.try_into().ok()?);
        usize::try_from(length).ok()
    }

    /// Up to the next zero.
    fn name(&mut self) -> Option<String> {
        let length = self.bytes.get(self.at..)?.iter().position(|byte| *byte == 0)?;
        let name = String::from_utf8_lossy(self.take(length)?).into_owned();
        self.take(1)?;
        Some(name)
    }

    /// Into a document, whose length is what is there.
    fn enter(&mut self) -> Option<()> {
        (self.length()? == self.bytes.len()).then_some(())
    }

    /// The next field of a document, if there is another one.
    fn field(&mut self) -> Option<Option<Field<Range<usize>>>> {
        let kind = self.take(1)?[0];
        if kind == 0 {
            return (self.at == self.bytes.len()).then_some(None);
        }
        let name = self.name()?;
        let from = self.at;
        self.skip(kind)?;
        Some(Some(Field { kind, name, value: from..self.at }))
    }

    /// Past a value, whatever is in it.
    fn skip(&mut self, kind: u8) -> Option<()> {
        let bytes = match kind {
            0x06 | 0x0a | 0x7f | 0xff => 0,
            0x08 => 1,
            0x10 => 4,
            0x01 | 0x09 | 0x11 | 0x12 => 8,
            0x07 => 12,
            0x13 => 16,
            0x02 | 0x0d | 0x0e => self.text_length()?,
            0x0c => self.text_length()? + 12,
            0x05 => self.length()? + 1,
            0x03 | 0x04 | 0x0f => self.length()?.checked_sub(4)?,
            0x0b => {
                self.name()?;
                self.name()?;
                0
            }
            _ => return None,
        };
        self.take(bytes).map(drop)
    }

    fn text_length(&mut self) -> Option<usize> {
        self.length().filter(|length| *length > 0)
    }

    /// Writes a value with U+FFFD where it is not UTF-8.
    fn value(&mut self, kind: u8, mended: &mut Vec<u8>, depth: usize) -> Option<()> {
        match kind {
            0x02 | 0x0d | 0x0e => self.text(mended)?,
            0x0c => {
                self.text(mended)?;
                mended.extend_from_slice(self.take(12)?);
            }
            0x0b => {
                for part in [self.name()?, self.name()?] {
                    mended.extend_from_slice(part.as_bytes());
                    mended.push(0);
                }
            }
            0x03 | 0x04 => self.inner(mended, depth)?,
            0x05 => self.binary(mended)?,
            0x08 => mended.push(u8::from(self.take(1)?[0] != 0)),
            0x0f => {
                let began = mended.len();
                self.length()?;
                mended.extend_from_slice(&[0; 4]);
                self.text(mended)?;
                self.inner(mended, depth)?;
                let length = i32::try_from(mended.len() - began).ok()?;
                mended[began..began + 4].copy_from_slice(&length.to_le_bytes());
            }
            kind => {
                let from = self.at;
                self.skip(kind)?;
                mended.extend_from_slice(&self.bytes[from..self.at]);
            }
        }
        Some(())
    }

    fn text(&mut self, mended: &mut Vec<u8>) -> Option<()> {
        let length = self.text_length()?;
        let (0, bytes) = self.take(length)?.split_last()? else { return None };
        let text = String::from_utf8_lossy(bytes);
        mended.extend_from_slice(&i32::try_from(text.len() + 1).ok()?.to_le_bytes());
        mended.extend_from_slice(text.as_bytes());
        mended.push(0);
        Some(())
    }

    /// One of the old kind that does not say its length a second time is one of the usual kind.
    fn binary(&mut self, mended: &mut Vec<u8>) -> Option<()> {
        let length = self.length()?;
        let (kind, bytes) = self.take(length.checked_add(1)?)?.split_first()?;
        let says = bytes.first_chunk().map(|length| i32::from_le_bytes(*length));
        let is_old = says.is_some_and(|says| usize::try_from(says).is_ok_and(|says| says + 4 == length));
        mended.extend_from_slice(&(length as u32).to_le_bytes());
        mended.push(if *kind == 2 && !is_old { 0 } else { *kind });
        mended.extend_from_slice(bytes);
        Some(())
    }

    /// A document within a document.
    fn inner(&mut self, mended: &mut Vec<u8>, depth: usize) -> Option<()> {
        let from = self.at;
        let length = self.length()?;
        self.take(length.checked_sub(4)?)?;
        let mut inner = Walk { bytes: &self.bytes[from..self.at], at: 4 };
        let began = mended.len();
        mended.extend_from_slice(&[0; 4]);
        while let Some(field) = inner.field().filter(|_| depth < DEEPEST)? {
            put(mended, field.kind, &field.name);
            Walk { bytes: &inner.bytes[field.value], at: 0 }.value(field.kind, mended, depth + 1)?;
        }
        end(mended, began)
    }
}
