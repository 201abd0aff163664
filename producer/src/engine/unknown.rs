//! Why a search found nothing: a reason and titled lists of lines.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Why a run found neither a proof nor a counterexample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// The reason, in a sentence.
    pub reason: String,
    /// Titled lists of lines: what was tried, the last trace, which predicates grow, what would
    /// help.
    pub details: Vec<(&'static str, Vec<String>)>,
}

/// The title of the list with a line for each strategy.
pub const TRIED: &str = "tried";

/// The title of the list of growing predicates.
pub const GROWING: &str = "growing predicates";

/// The title of the list of what a proof may lack.
pub const HELP: &str = "what would help";

/// The title of the list of what a person can do.
pub const NEXT: &str = "next steps";

/// The titles of lists whose lines stand for themselves.
const LISTS: [&str; 4] = [TRIED, GROWING, HELP, NEXT];

impl Unknown {
    /// The lines under a title.
    pub fn lines(&self, title: &str) -> &[String] {
        let found = self.details.iter().find(|(known, _)| *known == title);
        found.map_or(&[], |(_, lines)| lines)
    }

    /// Two reports in one: the first one's reason, the details of both.
    pub fn and(mut self, second: Unknown) -> Unknown {
        for (title, lines) in second.details {
            match self.details.iter_mut().find(|(known, _)| *known == title) {
                // One trace is enough, and its lines belong together.
                Some((_, known)) if known.is_empty() || LISTS.contains(&title) => {
                    let new: Vec<String> =
                        lines.into_iter().filter(|l| !known.contains(l)).collect();
                    known.extend(new);
                }
                Some(_) => {}
                None => self.details.push((title, lines)),
            }
        }
        self
    }
}

impl From<String> for Unknown {
    fn from(reason: String) -> Self {
        Unknown { reason, details: Vec::new() }
    }
}

/// Where a search leaves its latest report, in numbered parts, for others to read at any time.
#[derive(Clone, Debug, Default)]
pub struct Board(Arc<Mutex<BTreeMap<usize, Unknown>>>);

impl Board {
    /// Replaces the report of a part.
    pub fn post(&self, part: usize, report: Unknown) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(part, report);
    }

    /// Replaces all that was reported.
    pub fn finish(&self, report: Unknown) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = BTreeMap::from([(0, report)]);
    }

    /// The parts in one, if there are any.
    pub fn read(&self) -> Option<Unknown> {
        let parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parts.values().cloned().reduce(Unknown::and)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(reason: &str, tried: &str, trace: &str) -> Unknown {
        let lines = |line: &str| vec![line.to_owned()];
        let details = vec![(TRIED, lines(tried)), ("trace", lines(trace))];
        Unknown { reason: reason.to_owned(), details }
    }

    #[test]
    fn reports_are_read_as_one() {
        let board = Board::default();
        assert_eq!(board.read(), None);
        board.post(1, report("second", "b", "t2"));
        board.post(0, report("first", "a", "t1"));
        let read = board.read().expect("a report");
        assert_eq!(
            (read.reason.as_str(), read.lines(TRIED)),
            ("first", &["a", "b"].map(String::from)[..])
        );
        assert_eq!(read.lines("trace"), ["t1"]);
        board.finish(report("last", "c", "t3"));
        assert_eq!(board.read().map(|r| r.reason), Some("last".to_owned()));
    }
}
