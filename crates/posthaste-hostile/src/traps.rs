//! What breaks readers everywhere.

use crate::dice::Dice;

/// Texts that mean something to somebody on the way, and characters that are not what they look like.
const TEXTS: &[&str] = &[
    "\0",
    "\r\n",
    "\n",
    "\r",
    "\t",
    " ",
    "\u{85}",
    "\u{a0}",
    "\u{feff}",
    "\u{200b}",
    "\u{202e}",
    "\u{2028}",
    "\u{1b}[2J",
    "\u{7f}",
    "é",
    "e\u{301}",
    "ß",
    "İ",
    "ı",
    "ſ",
    "K",
    "①",
    "。",
    "／",
    "．",
    "😀",
    "👩\u{200d}👩\u{200d}👧",
    "\u{10ffff}",
    "\u{fffd}",
    "\u{e000}",
    "漢字",
    "ﷺ",
    "\"",
    "'",
    "`",
    "\\",
    "/",
    "%",
    "%00",
    "%2e%2e%2f",
    "%+f",
    "%zz",
    "{{",
    "}}",
    "{",
    "}",
    "{%",
    "${",
    "$(",
    "<script>",
    "&amp;",
    "--",
    ";",
    "' OR 1=1 --",
    "../",
    "..",
    "*",
    "?",
    "#",
    "@",
    ":",
    "::",
    "=",
    "|",
    ",",
    "~",
    "null",
    "true",
    "NaN",
    "-Infinity",
    "undefined",
];

/// Where numbers end, begin, or stop being exact.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "+1",
    "00",
    "0x10",
    "1e9",
    "1e400",
    "1.5",
    "127",
    "128",
    "255",
    "256",
    "32767",
    "65535",
    "65536",
    "2147483647",
    "-2147483648",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "253402300799999",
    "253402300800000",
    "-62135596800001",
    "340282366920938463463374607431768211456",
    "99999999999999999999999999999999999999999999",
    "٣",
    "１",
];

/// Bytes that are no text.
const BYTES: &[&[u8]] =
    &[b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\x80", b"\xfe\xff", b"\x1f"];

/// What opens something that may be opened within itself.
pub(crate) const NESTS: &[&str] = &[
    "[", "{", "(", "{\"a\":", "[[", "<a>", "- ", "&a [", "*a", "a.", "{{", "\\", "\"", "'", "/", "*", "-", "a: ",
    "[a.", "!", "%25", "1", ",", "(?:", "..", ":",
];

pub(crate) fn text(dice: &mut Dice) -> &'static str {
    dice.pick(TEXTS)
}

pub(crate) fn number(dice: &mut Dice) -> &'static str {
    dice.pick(NUMBERS)
}

pub(crate) fn bytes(dice: &mut Dice) -> &'static [u8] {
    dice.pick(BYTES)
}
