use super::*;

/// A small generator of numbers that look random (SplitMix64), so that a failing case can be named by its seed.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % below as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.next(from.len())]
    }
}

const LEAVES: &[&str] = &[
    ".",
    "..",
    ".a",
    ".a.b",
    ".[0]",
    ".[-1]",
    ".[1:]",
    ".[:2]",
    ".[]",
    ".[]?",
    "null",
    "true",
    "0",
    "-1",
    "1.5",
    "1e300",
    "9007199254740993",
    "\"a\"",
    "\"\"",
    "\"é😀\"",
    "[]",
    "{}",
    "[1,2]",
    "{a:1}",
    "length",
    "keys",
    "tojson",
    "tostring",
    "tonumber",
    "type",
    "not",
    "add",
    "sort",
    "reverse",
    "flatten",
    "unique",
    "to_entries",
    "from_entries",
    "ascii_downcase",
    "explode",
    "implode",
    "floor",
    "sqrt",
    "empty",
    "error",
    "paths",
    "transpose",
    "min",
    "max",
    "any",
    "all",
    "@base64",
    "@base64d",
    "@uri",
    "@csv",
    "@html",
    "todate",
    "fromdate",
    "gmtime",
    "mktime",
    "fromjson",
    "first",
    "last",
    "utf8bytelength",
    "trim",
    "isvalid(.a)",
    "abs",
    "toarray",
    "combinations",
    "recurse",
    "input_line_number",
    "halt",
];
const UNARY: &[&str] = &[
    "map(X)",
    "select(X)",
    "[X]",
    "{a: X}",
    "-(X)",
    "(X)?",
    "try (X) catch .",
    "first(X)",
    "last(X)",
    "limit(3; X)",
    "[.[]? | X]",
    "with_entries(X)",
    "sort_by(X)",
    "group_by(X)",
    "min_by(X)",
    "path(X)",
    "del(X)",
    "to_entries | map(X)",
    "recurse(X)",
    "repeat(X)",
    "until(X; .)",
    "while(X; .)",
    "walk(X)",
    "any(X)",
    "isempty(X)",
    "\"<\\(X)>\"",
    "range(X)",
    "has(X)",
    "contains(X)",
    "split(X)",
    "join(X)",
    "test(X)",
    "ltrimstr(X)",
    "index(X)",
    "getpath(X)",
    "strftime(X)",
    "pick(X)",
    "flatten(X)",
    "nth(X)",
    "splits(X)",
    "ascii",
    "tojson | X",
    "def f: X; f",
    "def f(g): g | X; f(.)",
    "label $l | X",
];
const BINARY: &[&str] = &[
    "X + Y",
    "X - Y",
    "X * Y",
    "X / Y",
    "X % Y",
    "X == Y",
    "X < Y",
    "X and Y",
    "X // Y",
    "X | Y",
    "X, Y",
    "X as $v | Y",
    "X |= Y",
    "X = Y",
    "X += Y",
    "if X then Y else . end",
    "reduce X as $v (0; Y)",
    "foreach X as $v (0; Y)",
    "{(X): Y}",
    ".[X]?",
    ".[X:Y]",
    "setpath(X; Y)",
    "sub(X; Y)",
    "[X] | .[0] as [$a] | Y",
    "range(X; Y)",
    "try (X) catch (Y)",
    "X as {a: $b} | Y",
    "limit(X; Y)",
    "def f: X; Y | f",
    "X as [$v, $w] | Y",
];
const INPUTS: &[&str] = &[
    "null",
    "true",
    "0",
    "-7.5",
    "\"\"",
    "\"abc é\"",
    "[]",
    "{}",
    "[1,[2,[3]],null,\"x\"]",
    r#"{"a":{"b":[1,2,{"c":"d"}]},"e":"2026-11-17T00:00:00Z"}"#,
    "[[1,2],[3,4]]",
    "[\"b\",\"a\"]",
    "1e308",
    "1731801600",
    r#"[{"key":"a","value":1}]"#,
];

fn expression(random: &mut Random, depth: usize) -> String {
    match if depth == 0 { 0 } else { random.next(5) } {
        0 | 1 => format!("({})", random.pick(LEAVES)),
        2 => format!("({})", random.pick(UNARY).replace('X', &expression(random, depth - 1))),
        _ => {
            let (x, y) = (expression(random, depth - 1), expression(random, depth - 1));
            format!("({})", random.pick(BINARY).replace('X', &x).replace('Y', &y))
        }
    }
}

/// The interpreter itself may fail in corners that jq has, too; that must stay an error of the expression.
#[test]
fn whatever_is_written_ends_with_results_or_an_error() {
    let (mut results, mut errors) = (0, 0);
    for seed in 0..1_000 {
        let random = &mut Random(seed);
        let source = expression(random, 4);
        let input = random.pick(INPUTS);
        match apply(&source, input) {
            Ok(_) => results += 1,
            Err(error) => {
                errors += 1;
                assert!(!error.contains("interpreter"), "seed {seed}: {source} on {input}: {error}");
            }
        }
    }
    assert!(results > 100 && errors > 100, "{results} with results, {errors} without");
}

#[test]
fn no_text_makes_the_compiler_fail() {
    const PIECES: &[&str] = &[
        "(", ")", "[", "]", "{", "}", "|", ",", ":", ";", ".", "..", "$", "@", "\"", "\\(", "def", "if", "then", "end",
        "as", "reduce", "a", "1", "é", "#", "\n", "//", "?", "=", "!=", "import", "\\u12", "try", "label", "-", "::",
        " ",
    ];
    for seed in 0..2_000 {
        let random = &mut Random(seed);
        let pieces = 1 + random.next(12);
        let source: String = (0..pieces).map(|_| random.pick(PIECES)).collect();
        if let Err(wrong) = Expression::new(&source) {
            assert!(wrong.line >= 1 && wrong.column >= 1 && !wrong.to_string().is_empty(), "seed {seed}: {source:?}");
        }
    }
}
