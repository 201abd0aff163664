//! A program laid out from its tokens, so that nobody has to trust how the text that was given
//! looks.

use super::lexer::Token;
use threadproof_format::work::{Budget, List as _, Seq, Spent};

/// Tokens that no space comes before, and those that none comes after.
const CLOSE: &str = ";:,.)][";
const OPEN: &str = "#.([!";

/// The tokens in lines: one ends after each `;`, `,`, `{` and `}`, and is indented by the braces
/// around it.
pub(super) fn layout(tokens: &Seq<Token<'_>>, budget: &Budget) -> Result<String, Spent> {
    let (mut out, mut depth, mut last) = (String::new(), 0_usize, "");
    let tokens = tokens.walk(budget)?.map(|token| token.text);
    for token in tokens.filter(|text| !text.is_empty()) {
        depth = depth.saturating_sub(usize::from(token == "}"));
        if matches!(last, "" | ";" | "," | "{" | "}") {
            out.push_str(&"    ".repeat(depth));
        } else if !CLOSE.contains(token) && !OPEN.contains(last) {
            out.push(' ');
        }
        out.push_str(token);
        if matches!(token, ";" | "," | "{" | "}") {
            out.push('\n');
        }
        depth += usize::from(token == "{");
        last = token;
    }
    Ok(out)
}
