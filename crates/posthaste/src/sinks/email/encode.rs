//! A message as a mail.

use lettre::Address;
use lettre::message::header::ContentType;
use lettre::message::{Mailbox, MessageBuilder, MultiPart, SinglePart};

use super::address::Mailboxes;
use super::attachments::Attachments;
use super::headers::{OwnHeaders, one_line};
use super::settings::{OneOrMany, Settings};
use crate::sink::payload_template::{Context, Escape, PayloadTemplate};
use crate::sink::settings::Problem;
use crate::sink::{Delivery, Error, Run};

/// Makes mails of messages.
#[derive(Debug)]
pub(super) struct Encoder {
    from: Mailboxes,
    to: Vec<Mailboxes>,
    cc: Vec<Mailboxes>,
    bcc: Vec<Mailboxes>,
    reply_to: Option<Mailboxes>,
    subject: PayloadTemplate,
    text: Option<PayloadTemplate>,
    html: Option<PayloadTemplate>,
    headers: OwnHeaders,
    attachments: Attachments,
    max_bytes: usize,
}

/// A mail, and who gets it.
pub(super) struct Mail {
    pub(super) from: Address,
    pub(super) recipients: Vec<Address>,
    pub(super) bytes: Vec<u8>,
}

impl Encoder {
    pub(super) fn new(settings: Settings) -> Result<Self, Problem> {
        let problem = |setting| move |text: String| Problem::new(setting, text);
        let many = |setting, written: &OneOrMany| {
            let each = written.as_slice().iter().map(|written| Mailboxes::new(setting, written));
            each.collect::<Result<Vec<_>, _>>().map_err(problem(setting))
        };
        if settings.text.is_none() && settings.html.is_none() && settings.attach_payload.is_none() {
            return Err(Problem::new("text", "is missing, and so is `html`: write at least one of them"));
        }
        let unsubscribe = settings.list_unsubscribe.as_ref();
        let reply_to = settings.reply_to.as_ref().map(|written| Mailboxes::new("reply_to", written));
        Ok(Self {
            from: Mailboxes::new("from", &settings.from).map_err(problem("from"))?,
            to: many("to", &settings.to)?,
            cc: many("cc", &settings.cc)?,
            bcc: many("bcc", &settings.bcc)?,
            reply_to: reply_to.transpose().map_err(problem("reply_to"))?,
            subject: settings.subject.ready("subject", Escape::Line),
            text: settings.text.as_ref().map(|written| written.ready("text", Escape::Text)),
            html: settings.html.as_ref().map(|written| written.ready("html", Escape::Html)),
            headers: OwnHeaders::new(&settings.headers, unsubscribe).map_err(problem("headers"))?,
            attachments: Attachments::new(&settings)?,
            max_bytes: settings.max_bytes,
        })
    }

    /// An error is a reject.
    pub(super) fn mail(&self, run: &Run, delivery: &Delivery) -> Result<Mail, Error> {
        let context = Context::of(run, delivery);
        let from = self.from.of(&context)?.pop().ok_or_else(|| Error::reject("from: this message has no sender"))?;
        let (builder, recipients) = self.addressed(&context, &from)?;
        let builder = builder
            .message_id(Some(format!("<{}@{}>", delivery.message.id, from.email.domain())))
            // That of the event, so that a repeat is the same mail.
            .date(delivery.message.occurred_at.into())
            .subject(one_line(&self.subject.render(&context)?));
        let (files, body) = (self.attachments.of(delivery, &context)?, self.body(&context)?);
        let mail = assembled(builder, body, files, &delivery.message.id.to_string());
        let mut mail = mail.map_err(|_| Error::reject("this mail cannot be put together"))?;
        self.headers.of(&context)?.into_iter().for_each(|header| mail.headers_mut().insert_raw(header));
        let bytes = mail.formatted();
        if bytes.len() > self.max_bytes {
            let text = format!("the mail has {} bytes: at most {} are sent (max_bytes)", bytes.len(), self.max_bytes);
            return Err(Error::reject(text));
        }
        Ok(Mail { from: from.email, recipients, bytes })
    }

    /// The head of a mail, and everyone who gets it, also those whom it does not name.
    fn addressed(&self, context: &Context, from: &Mailbox) -> Result<(MessageBuilder, Vec<Address>), Error> {
        let [to, cc, bcc] = [&self.to, &self.cc, &self.bcc].map(|all| all_of(all, context));
        let (to, cc, bcc) = (to?, cc?, bcc?);
        let recipients = recipients([&to, &cc, &bcc])?;
        let mut builder = to.into_iter().fold(lettre::Message::builder().from(from.clone()), MessageBuilder::to);
        builder = cc.into_iter().fold(builder, MessageBuilder::cc);
        if let Some(reply_to) = &self.reply_to {
            builder = reply_to.of(context)?.into_iter().fold(builder, MessageBuilder::reply_to);
        }
        Ok((builder, recipients))
    }

    /// Plain text and HTML, where the config has them.
    fn body(&self, context: &Context) -> Result<Vec<SinglePart>, Error> {
        let text = self.text.as_ref().map(|template| template.render(context)).transpose()?;
        let html = self.html.as_ref().map(|template| template.render(context)).transpose()?;
        let part = |kind, text: String| SinglePart::builder().header(kind).body(text);
        let text = text.map(|text| part(ContentType::TEXT_PLAIN, text));
        Ok(text.into_iter().chain(html.map(|html| part(ContentType::TEXT_HTML, html))).collect())
    }
}

fn all_of(all: &[Mailboxes], context: &Context) -> Result<Vec<Mailbox>, Error> {
    all.iter().map(|one| one.of(context)).collect::<Result<Vec<_>, _>>().map(|all| all.concat())
}

/// Each address once.
fn recipients(lists: [&Vec<Mailbox>; 3]) -> Result<Vec<Address>, Error> {
    let mut recipients: Vec<Address> = Vec::new();
    for mailbox in lists.into_iter().flatten() {
        let known = |other: &Address| AsRef::<str>::as_ref(other).eq_ignore_ascii_case(mailbox.email.as_ref());
        if !recipients.iter().any(known) {
            recipients.push(mailbox.email.clone());
        }
    }
    if recipients.is_empty() { Err(Error::reject("to: this message has no recipient")) } else { Ok(recipients) }
}

/// One part stands alone, text and HTML are alternatives, and files come after them. Boundaries are the same at every attempt.
fn assembled(
    builder: MessageBuilder,
    mut body: Vec<SinglePart>,
    files: Vec<SinglePart>,
    id: &str,
) -> Result<lettre::Message, lettre::error::Error> {
    if files.is_empty() && body.len() == 1 {
        return builder.singlepart(body.remove(0));
    }
    let boundary = boundary(id, body.iter().chain(&files));
    let alternatives = |parts: Vec<SinglePart>| {
        let all = MultiPart::alternative().boundary(format!("{boundary}-a")).build();
        parts.into_iter().fold(all, MultiPart::singlepart)
    };
    if files.is_empty() {
        return builder.multipart(alternatives(body));
    }
    let mixed = MultiPart::mixed().boundary(format!("{boundary}-m")).build();
    let mixed = match body.len() {
        0 | 1 => body.into_iter().fold(mixed, MultiPart::singlepart),
        _ => mixed.multipart(alternatives(body)),
    };
    builder.multipart(files.into_iter().fold(mixed, MultiPart::singlepart))
}

/// A line that stands in no part: a part that contains it would end there.
fn boundary<'a>(id: &str, parts: impl Iterator<Item = &'a SinglePart> + Clone) -> String {
    let mut boundary = format!("posthaste-{id}");
    let stands_in = |boundary: &str, part: &SinglePart| {
        part.raw_body().windows(boundary.len()).any(|window| window == boundary.as_bytes())
    };
    while parts.clone().any(|part| stands_in(&boundary, part)) {
        boundary.push('x');
    }
    boundary
}
