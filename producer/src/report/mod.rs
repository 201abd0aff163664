//! Certificates as text for a person.

pub mod abstraction;
pub mod derivation;
pub mod induction;
pub mod proof_space;
pub mod run;
pub mod vacuous;

/// A titled list of lines.
pub type Section = (&'static str, Vec<String>);

/// Prints sections as text, or as one line of JSON: an object of lists of lines.
pub fn render(sections: &[Section], json: bool) -> String {
    if json {
        let object: serde_json::Map<String, serde_json::Value> =
            sections.iter().map(|(t, lines)| ((*t).to_owned(), lines.clone().into())).collect();
        return format!("{}\n", serde_json::Value::from(object));
    }
    let mut text = String::new();
    for (title, lines) in sections.iter().filter(|(_, lines)| !lines.is_empty()) {
        text += &format!("{title}\n");
        lines.iter().for_each(|line| text += &format!("  {}\n", visible(line)));
    }
    text
}

/// Text that a terminal shows as it is: what controls it, is invisible or turns the direction is
/// escaped.
pub fn visible(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            ' '..='~' | '\t' => out.push(c),
            c => out.extend(c.escape_debug()),
        }
    }
    out
}
