//! How many parts a text needs. Networks carry 140 bytes at a time: 160 letters of the GSM alphabet or 70 units of UTF-16, a little less
//! of each once there are several parts.

/// The letters of GSM 03.38 beyond the ones that ASCII shares with it.
const GSM: &str = "£¥èéùìòÇØøÅåΔΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿äöñüà";
/// These take two places.
const GSM_EXTENDED: &str = "^{}\\[~]|€\u{c}";
/// What ASCII has and GSM does not, besides the extended ones.
const NOT_GSM: &str = "`\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\t\u{b}";

/// How a text travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) parts: usize,
    /// Places that the text takes.
    pub(super) places: usize,
    /// `GSM-7`, or `UCS-2` as soon as one letter is not in the GSM alphabet.
    pub(super) encoding: &'static str,
}

/// Measures a text.
pub(super) fn measure(text: &str) -> Length {
    let gsm = text.chars().map(gsm_places).sum::<Option<usize>>();
    let (places, alone, of_several, encoding) = match gsm {
        Some(places) => (places, 160, 153, "GSM-7"),
        None => (text.encode_utf16().count(), 70, 67, "UCS-2"),
    };
    let parts = if places <= alone { 1 } else { places.div_ceil(of_several) };
    Length { parts, places, encoding }
}

fn gsm_places(c: char) -> Option<usize> {
    match c {
        _ if GSM_EXTENDED.contains(c) => Some(2),
        _ if (c.is_ascii() && !NOT_GSM.contains(c) && c != '\u{7f}') || GSM.contains(c) => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_as_many_parts_as_networks_count() {
        let cases = [
            ("x".repeat(160), 1, "GSM-7"),
            ("x".repeat(161), 2, "GSM-7"),
            ("x".repeat(306), 2, "GSM-7"),
            ("x".repeat(307), 3, "GSM-7"),
            ("€".repeat(80), 1, "GSM-7"),
            ("€".repeat(81), 2, "GSM-7"),
            ("Grüße, 5 £ @ $".into(), 1, "GSM-7"),
            ("ж".repeat(70), 1, "UCS-2"),
            ("ж".repeat(71), 2, "UCS-2"),
            ("👍".repeat(35), 1, "UCS-2"),
            ("👍".repeat(36), 2, "UCS-2"),
            ("`".repeat(70), 1, "UCS-2"),
        ];
        for (text, parts, encoding) in cases {
            let length = measure(&text);
            assert_eq!((length.parts, length.encoding), (parts, encoding), "{} of {text:.3}", length.places);
        }
    }
}
