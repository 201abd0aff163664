//! Comments: blanked out before anything else reads the text, so that places stay as they are.

use crate::text::Diagnostic;

/// The text with every comment replaced by spaces; its lines and bytes stay where they are.
pub(crate) fn without_comments(source: &str) -> Result<String, Diagnostic> {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(start) = rest.find('/') {
        let (before, comment) = rest.split_at(start);
        out.push_str(before);
        let length = if comment.starts_with("//") {
            comment.find('\n').unwrap_or(comment.len())
        } else if let Some(inner) = comment.strip_prefix("/*") {
            match inner.find("*/") {
                Some(end) => end + 4,
                None => {
                    let at = source.len() - comment.len();
                    return Err(Diagnostic::new(at..at + 2, "this comment is never closed")
                        .hint("close it with `*/`"));
                }
            }
        } else {
            out.push('/');
            rest = &comment[1..];
            continue;
        };
        let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
        out.extend(comment[..length].bytes().map(blank));
        rest = &comment[length..];
    }
    out.push_str(rest);
    Ok(out)
}
