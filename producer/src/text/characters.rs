//! Characters that make a text look different from how it is read: control characters, what changes
//! the direction, and what is not shown at all.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Characters that are not shown, though their category does not say so
/// (`Default_Ignorable_Code_Point` of the Unicode Character Database, without the category `Cf`).
const IGNORABLE: [(char, char); 11] = [
    ('\u{34f}', '\u{34f}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{2065}', '\u{2065}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fff8}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// A text without the byte order mark at its beginning.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The characters of a text, with their places in bytes, that make it look different from how it is
/// read, and what they do.
pub(crate) fn misleading(text: &str) -> impl Iterator<Item = (usize, char, &'static str)> {
    text.char_indices().filter_map(|(at, c)| {
        let what = match c {
            '\t' | '\n' => return None,
            '\r' if text[at..].starts_with("\r\n") => return None,
            '\r' => "a carriage return without a line feed",
            _ => kind(c)?,
        };
        Some((at, c, what))
    })
}

fn kind(c: char) -> Option<&'static str> {
    if IGNORABLE.iter().any(|(first, last)| (*first..=*last).contains(&c)) {
        return Some("an invisible character");
    }
    match c.general_category() {
        GeneralCategory::Control => Some("a control character"),
        GeneralCategory::Format => {
            Some("an invisible character or one that changes the direction of text")
        }
        GeneralCategory::LineSeparator | GeneralCategory::ParagraphSeparator => {
            Some("a line or paragraph separator")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{misleading, without_mark};

    #[test]
    fn what_looks_different_from_how_it_is_read_is_found() {
        let hidden = [
            '\0',
            '\u{7}',
            '\u{b}',
            '\u{c}',
            '\u{1b}',
            '\u{7f}',
            '\u{85}',
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{200b}',
            '\u{200d}',
            '\u{200e}',
            '\u{202a}',
            '\u{202e}',
            '\u{2028}',
            '\u{2029}',
            '\u{2060}',
            '\u{2066}',
            '\u{2069}',
            '\u{3164}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{e0041}',
            '\r',
        ];
        for c in hidden {
            let text = format!("ab{c}d");
            let found: Vec<_> = misleading(&text).map(|(at, c, _)| (at, c)).collect();
            assert_eq!(found, [(2, c)], "{c:?}");
        }
        assert_eq!(
            misleading("tab\t, line\r\n, \u{f6} \u{4e2d} \u{3b1} \u{5d0} \u{2260} \u{1f600}\n")
                .count(),
            0
        );
    }

    #[test]
    fn a_byte_order_mark_is_skipped_at_the_beginning_alone() {
        assert_eq!(without_mark("\u{feff}a"), "a");
        assert_eq!(misleading(without_mark("a\u{feff}")).count(), 1);
    }
}
