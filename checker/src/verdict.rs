//! What the checker says: claims and failures as text and as JSON (SPEC.md sections 7 and 10).

use crate::claim::{Claim, Lines, Vacuous};
use crate::error::Failure;
use std::fmt;
use threadproof_format::proof::Conclusion;

/// The kinds of answers. Each has an exit code of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The claim is true: this conclusion.
    Accepted(Conclusion),
    /// The claim is true for lack of content: see [`Claim::vacuous`].
    Vacuous,
    /// The certificate does not establish its claim.
    Rejected,
    /// No answer: over a limit, or an unknown version.
    Declined,
    /// There is no program to judge: the text is not in the core form.
    BadInput,
}

impl Verdict {
    /// That of an established claim.
    pub fn of(claim: &Claim) -> Self {
        claim.vacuous.map_or(Verdict::Accepted(claim.conclusion), |_| Verdict::Vacuous)
    }

    /// The exit code (SPEC.md section 10): 0 says that the program is safe, and nothing less.
    pub fn code(self) -> u8 {
        match self {
            Verdict::Accepted(Conclusion::Safe) => 0,
            Verdict::Rejected => 1,
            Verdict::Declined => 2,
            Verdict::BadInput => 3,
            Verdict::Vacuous => 4,
            Verdict::Accepted(Conclusion::SafeWithin { .. }) => 5,
            Verdict::Accepted(Conclusion::ErrorReachable) => 6,
        }
    }
}

/// The answer, with its text or one line of JSON.
pub fn verdict(result: &Result<Claim, Failure>, json: bool) -> (String, Verdict) {
    match result {
        Ok(claim) => {
            let text = if json { claim.json() + "\n" } else { claim.to_string() };
            (text, Verdict::of(claim))
        }
        Err(failure) => {
            let verdict = failure.reason.verdict();
            let word = match verdict {
                Verdict::Declined => "declined",
                Verdict::BadInput => "bad input",
                _ => "rejected",
            };
            let category = failure.reason.category();
            let text = if json {
                let (word, reason) = (word.replace(' ', "-"), quote(&failure.to_string()));
                format!(
                    "{{\"verdict\":\"{word}\",\"category\":\"{category}\",\"reason\":{reason}}}\n"
                )
            } else {
                format!("{word} ({category}): {failure}\n")
            };
            (text, verdict)
        }
    }
}

impl Claim {
    /// The claim as one line of JSON.
    pub fn json(&self) -> String {
        let list = |items: &Lines| {
            let items: Lines = items.iter().map(|item| quote(item)).collect();
            format!("[{}]", items.join(","))
        };
        let rounds = match self.conclusion {
            Conclusion::SafeWithin { rounds } => format!("\"rounds\":{rounds},"),
            Conclusion::Safe | Conclusion::ErrorReachable => String::new(),
        };
        format!(
            "{{\"verdict\":\"accepted\",\"conclusion\":\"{}\",{rounds}\"safe\":{},\"vacuous\":{},\"statement\":{},\"program\":\"{}\",\
             \"certificate\":\"{}\",\"threads\":{},\"error_locations\":{},\"assumptions\":{},\
             \"notes\":{},\"proof\":{}}}",
            self.conclusion.word(),
            self.conclusion == Conclusion::Safe,
            self.vacuous.map_or("null".to_owned(), |vacuous| quote(vacuous.word())),
            quote(&self.statement),
            self.program,
            self.certificate,
            list(&self.threads),
            list(&self.errors),
            list(&self.assumptions),
            list(&self.notes),
            quote(&self.proof)
        )
    }
}

/// Names and assumptions are the core form's, so there is nothing in them to escape.
impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.vacuous {
            None => writeln!(f, "accepted: {}", self.statement)?,
            Some(why) => {
                writeln!(f, "accepted, but vacuous: {why}\n  claim: {}", self.statement)?;
            }
        }
        writeln!(f, "  program sha256:{}", self.program)?;
        let parts = [
            ("threads", &self.threads),
            ("error location", &self.errors),
            ("assumption", &self.assumptions),
            ("note", &self.notes),
        ];
        for (title, items) in parts {
            items.iter().try_for_each(|item| writeln!(f, "  {title}: {item}"))?;
        }
        writeln!(f, "  proof: {}", self.proof)?;
        writeln!(f, "  certificate sha256:{}", self.certificate)
    }
}

impl Vacuous {
    /// The word of SPEC.md section 7.
    pub fn word(self) -> &'static str {
        match self {
            Vacuous::NoErrorLocation => "no-error-location",
            Vacuous::NoErrorPath => "no-error-path",
            Vacuous::NoInitialState => "no-initial-state",
        }
    }
}

impl fmt::Display for Vacuous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Vacuous::NoErrorLocation => "the program has no error location",
            Vacuous::NoErrorPath => "no path of the program leads to an error location",
            Vacuous::NoInitialState => "no initial state is shown, and there may be none",
        })
    }
}

/// Text that every terminal shows as it is: what is not printable ASCII is escaped.
pub fn printable(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            ' '..='~' if c != '\\' => out.push(c),
            _ => out.extend(c.escape_default()),
        }
    }
    out
}

/// A JSON string, in ASCII.
fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            _ => c.encode_utf16(&mut [0; 2]).iter().for_each(|u| out += &format!("\\u{u:04x}")),
        }
    }
    out.push('"');
    out
}
