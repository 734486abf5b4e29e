//! What failed in the same way says almost the same. This leaves out what differs: ids, numbers, addresses, quoted texts.
//!
//! What is left is also a pattern: `*` stands where something was left out, so the deliveries of a group are found by it.

/// Characters of a normalised error; the rest is left out.
const MOST: usize = 200;

/// Bytes of a word; a longer one is left out.
const LONGEST_WORD: usize = 100;

/// Words after which a number of three digits is an answer and not an id.
const BEFORE_STATUS: [&str; 9] = ["http", "status", "answered", "answer", "code", "error", "smtp", "returned", "said"];

/// The first line of an error, as a pattern.
pub fn normalise(error: &str) -> String {
    let first = error.lines().next().unwrap_or_default();
    let mut out = Pattern::default();
    let mut rest = first;
    while let Some(c) = rest.chars().next() {
        if out.text.chars().count() >= MOST {
            break;
        }
        if let Some(after) = after_quoted(rest, out.last()) {
            out.star();
            rest = after;
        } else if separates(c) {
            out.text.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            let end = rest.find(separates).unwrap_or(rest.len());
            out.word(&rest[..end]);
            rest = &rest[end..];
        }
    }
    if !rest.is_empty() || error.len() > first.len() {
        out.star();
    }
    out.collapsed()
}

fn separates(c: char) -> bool {
    c.is_whitespace() || "()[]{}<>,;\"`|".contains(c)
}

/// What follows a quoted text at the beginning; an apostrophe within a word begins none.
fn after_quoted(text: &str, before: Option<char>) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '`' | '\''))?;
    if quote == '\'' && before.is_some_and(|before| !separates(before) && before != '=' && before != ':') {
        return None;
    }
    let (_, after) = text[1..].split_once(quote)?;
    Some(after)
}

#[derive(Default)]
struct Pattern {
    text: String,
}

impl Pattern {
    fn last(&self) -> Option<char> {
        self.text.chars().next_back()
    }

    fn star(&mut self) {
        if self.last() != Some('*') {
            self.text.push('*');
        }
    }

    /// Adds a word as far as it is the same in all errors of a kind.
    fn word(&mut self, word: &str) {
        if word.len() > LONGEST_WORD {
            self.star();
            return;
        }
        let core = word.trim_end_matches(['.', ':', '!', '?', '\'']);
        let punctuation = &word[core.len()..];
        if !varies(core) || self.is_status(core) {
            self.text.push_str(word);
            return;
        }
        // `id=42`, `order:42`: what is named stays.
        let name = core.find(['=', ':']).filter(|_| !core.contains("://")).map_or("", |at| &core[..=at]);
        if !varies(name) {
            self.text.push_str(name);
        }
        self.star();
        self.text.push_str(punctuation);
    }

    fn is_status(&self, word: &str) -> bool {
        let number = word.parse::<u16>().is_ok_and(|number| (100..600).contains(&number) && word.len() == 3);
        let before = self.text.split(|c: char| !c.is_ascii_alphabetic()).rfind(|word| !word.is_empty());
        number && before.is_some_and(|before| BEFORE_STATUS.contains(&before.to_ascii_lowercase().as_str()))
    }

    /// Without stars that follow each other, and with one in the place of blanks at the ends, where nobody would see them.
    fn collapsed(self) -> String {
        let star = |blank: bool| if blank { "*" } else { "" };
        let (first, last) = (self.text.starts_with(char::is_whitespace), self.text.ends_with(char::is_whitespace));
        let mut text = format!("{}{}{}", star(first), self.text.trim(), star(last)).replace("**", "*");
        while text.contains("* *") {
            text = text.replace("* *", "*");
        }
        text
    }
}

/// Whether a word is likely to be another one in the next error of the same kind.
fn varies(word: &str) -> bool {
    word.contains("://") || word.contains('@') || word.chars().any(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod hostile;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_numbers_addresses_and_quoted_texts_are_left_out() {
        let cases = [
            ("answered 503: busy", "answered 503: busy"),
            ("HTTP 404 Not Found", "HTTP 404 Not Found"),
            ("status 422, order 4711 is unknown", "status 422, order * is unknown"),
            ("cannot connect to 10.0.0.1:5672: connection refused", "cannot connect to *: connection refused"),
            ("cannot connect to http://crm.internal:80/x?y=1 (os error 111)", "cannot connect to * (os error 111)"),
            ("no queue 'orders-7' in vhost '/'", "no queue * in vhost *"),
            ("key \"a b\" of 01890a5d-ac96-774b-bcce-b302099a8057", "key * of *"),
            ("can't find id=42, user:ann17", "can't find id=*, user:*"),
            ("mail to ann@example.com was refused", "mail to * was refused"),
            ("550 5.1.1 no such user", "* no such user"),
            ("", ""),
        ];
        for (error, expected) in cases {
            assert_eq!(normalise(error), expected, "{error}");
        }
    }

    #[test]
    fn only_the_first_line_counts_and_it_is_cut() {
        assert_eq!(normalise("refused\nthe body of the answer"), "refused*");
        let long = normalise(&"word ".repeat(200));
        assert!(long.chars().count() <= MOST + 6 && long.ends_with('*'), "{long}");
    }

    #[test]
    fn what_was_normalised_is_found_by_it() {
        let matches = posthaste::rules::route::matches;
        for error in [
            "answered 503: {\"a\": [1, 2]}\nmore",
            "cannot connect to [::1]:5672 (\"orders\"), gave up after 3 tries!",
            "it's * 'odd' \"unclosed 17",
            "Zeichen: ä 1 ö `x` ü",
        ] {
            assert!(matches(&normalise(error), error), "{} on {error}", normalise(error));
        }
    }
}
