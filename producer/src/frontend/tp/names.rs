//! Names in the core form: identifiers that are no keyword of it and clash with nothing.

use std::collections::BTreeSet;
use threadproof_checker::internals::core_form::keywords;

/// The names of one scope that are taken.
#[derive(Clone, Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// The name if it is free, otherwise one made from it; taken from then on.
    pub(crate) fn fresh(&mut self, wanted: &str) -> String {
        let base =
            if keywords().any(|k| k == wanted) { format!("{wanted}_") } else { wanted.to_owned() };
        let mut name = base.clone();
        let mut number = 2;
        while self.taken.contains(&name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        self.taken.insert(name.clone());
        name
    }
}
