//! Foreign text made safe to show: an error that a server sent must not move the cursor or paint the screen.

/// Control characters become `·`, line breaks and runs of space a single space.
pub fn line(text: &str) -> String {
    let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
    spaced.chars().map(|c| if c.is_control() { '·' } else { c }).collect()
}

/// As [`line()`], cut to `width` characters.
pub fn cut(text: &str, width: usize) -> String {
    let text = line(text);
    match text.char_indices().nth(width) {
        Some(_) => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_sequence_cannot_get_through() {
        assert_eq!(line("bad \u{1b}[31mred\u{1b}[0m\r\nand\tmore\0"), "bad ·[31mred·[0m and more·");
    }

    #[test]
    fn a_long_text_is_cut_with_an_ellipsis() {
        assert_eq!(cut("éàü", 3), "éàü");
        assert_eq!(cut("éàüö", 3), "éà…");
    }
}
