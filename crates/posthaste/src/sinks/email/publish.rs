//! One mail: its transactions with the server, and who has it afterwards.

use lettre::Address;
use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail as MailFrom, Rcpt, Rset};
use lettre::transport::smtp::extension::{Extension, MailBodyParameter, MailParameter};

use super::Email;
use super::encode::Mail;
use super::received::Received;
use super::verdict::{Refusal, of_connection};
use crate::sink::{Delivery, Error, Run};

/// What became of the recipients of one transaction.
#[derive(Default)]
struct Recipients {
    taken: Vec<Address>,
    /// The server wants fewer at once.
    left_over: Vec<Address>,
    refused: Vec<Refusal>,
}

impl Email {
    /// Sends one message to everyone who does not have it yet. With an error comes what to remember of those who do.
    pub(super) async fn send(&self, run: &Run, delivery: &Delivery) -> (Result<(), Error>, Option<Vec<u8>>) {
        let mut received = Received::from_progress(delivery.progress.as_deref());
        let mail = match self.encoder.mail(run, delivery) {
            Ok(mail) => mail,
            Err(error) => return (Err(error), None),
        };
        let sent = tokio::time::timeout(self.timeout, self.send_to_all(&mail, &mut received)).await;
        let late = || Error::retry(format_args!("the mail was not taken within {:?}", self.timeout));
        (sent.unwrap_or_else(|_| Err(late())), received.progress())
    }

    /// In as many transactions as it takes. A recipient that is refused does not keep the mail from the others.
    async fn send_to_all(&self, mail: &Mail, received: &mut Received) -> Result<(), Error> {
        let all = mail.recipients.len();
        let mut missing: Vec<Address> =
            mail.recipients.iter().filter(|address| !received.contains(address)).cloned().collect();
        let mut refused = Vec::new();
        while !missing.is_empty() {
            let rest = missing.split_off(missing.len().min(self.max_recipients));
            let mut recipients = self.transaction(mail, missing).await?;
            recipients.taken.iter().for_each(|address| received.add(address));
            refused.append(&mut recipients.refused);
            missing = recipients.left_over;
            missing.extend(rest);
        }
        // Those that may take it later decide; what is final is said when nothing else is left.
        let worst = refused.iter().find(|refusal| !refusal.is_final()).or(refused.first());
        match worst {
            None => Ok(()),
            Some(worst) => {
                let what =
                    if all == 1 { "the recipient".into() } else { format!("{} of {all} recipients", refused.len()) };
                Err(worst.error(&what, self.greylist_wait))
            }
        }
    }

    /// One transaction, on a connection that may have been used before. If that one turns out to be gone before anything was sent, on a
    /// new one.
    async fn transaction(&self, mail: &Mail, recipients: Vec<Address>) -> Result<Recipients, Error> {
        let mut connection = self.connections.take(false).await?;
        mail.refuse_if_unspeakable(&connection.smtp)?;
        let mut begun = begin(&mut connection.smtp, mail).await;
        if connection.used && begun.as_ref().is_err_and(is_gone) {
            drop(connection);
            connection = self.connections.take(true).await?;
            begun = begin(&mut connection.smtp, mail).await;
        }
        begun.map_err(|error| self.about_the_mail(&error))?;
        let smtp = &mut connection.smtp;
        let answered = self.name(smtp, recipients).await?;
        if answered.taken.is_empty() {
            smtp.command(Rset).await.map_err(|error| self.about_the_mail(&error))?;
        } else {
            smtp.command(Data).await.map_err(|error| self.about_the_mail(&error))?;
            smtp.message(&mail.bytes).await.map_err(|error| self.about_the_mail(&error))?;
        }
        self.connections.give_back(connection);
        Ok(answered)
    }

    /// Names the recipients one by one.
    async fn name(&self, smtp: &mut AsyncSmtpConnection, recipients: Vec<Address>) -> Result<Recipients, Error> {
        let mut answered = Recipients::default();
        for address in recipients {
            let Err(error) = smtp.command(Rcpt::new(address.clone(), Vec::new())).await else {
                answered.taken.push(address);
                continue;
            };
            let refusal = Refusal::of(&error).filter(|refusal| !refusal.is_goodbye());
            match refusal.ok_or_else(|| self.about_the_mail(&error))? {
                refusal if refusal.is_too_many() && !answered.taken.is_empty() => answered.left_over.push(address),
                refusal => answered.refused.push(refusal),
            }
        }
        Ok(answered)
    }

    fn about_the_mail(&self, error: &SmtpError) -> Error {
        match Refusal::of(error) {
            Some(refusal) => refusal.error("the mail", self.greylist_wait),
            None => of_connection(&self.connections.place(), error),
        }
    }
}

impl Mail {
    /// Addresses beyond ASCII need a server that knows them.
    fn is_international(&self) -> bool {
        self.recipients.iter().chain([&self.from]).any(|address| !AsRef::<str>::as_ref(address).is_ascii())
    }

    fn refuse_if_unspeakable(&self, smtp: &AsyncSmtpConnection) -> Result<(), Error> {
        if self.is_international() && !smtp.server_info().supports_feature(Extension::SmtpUtfEight) {
            return Err(Error::reject(
                "an address has letters beyond ASCII, which the server does not take (SMTPUTF8)",
            ));
        }
        Ok(())
    }
}

/// Says who writes, and what the mail asks of the server.
async fn begin(smtp: &mut AsyncSmtpConnection, mail: &Mail) -> Result<(), SmtpError> {
    let mut parameters = Vec::new();
    if mail.is_international() {
        parameters.push(MailParameter::SmtpUtfEight);
    }
    if !mail.bytes.is_ascii() {
        parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    smtp.command(MailFrom::new(Some(mail.from.clone()), parameters)).await.map(drop)
}

/// The server closed the connection since it was last used: it said nothing, or goodbye.
fn is_gone(error: &SmtpError) -> bool {
    Refusal::of(error).is_none_or(|refusal| refusal.is_goodbye())
}
