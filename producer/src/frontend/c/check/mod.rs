//! What is checked on request, and how C programs are taken.

pub(crate) mod assertions;
pub(crate) mod race;

use crate::frontend::c::types::DataModel;

/// What C programs are checked for besides their assertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Check {
    /// Signed integer arithmetic whose result does not fit its type
    Overflow,
    /// Indices and pointers beyond their objects
    Bounds,
    /// Two threads at conflicting accesses, not both of them atomic
    Race,
}

impl Check {
    /// The name of its error locations.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Check::Overflow => "overflow",
            Check::Bounds => "bounds",
            Check::Race => "race",
        }
    }

    pub(crate) fn says(self) -> &'static str {
        match self {
            Check::Overflow => "signed overflow",
            Check::Bounds => "out of bounds",
            Check::Race => "data race",
        }
    }
}

/// How C programs are taken.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Options {
    /// The widths of C's types
    #[arg(long, value_name = "MODEL", value_enum, ignore_case = true, default_value_t)]
    pub data_model: DataModel,
    /// Check a C program for this, too; may be repeated
    #[arg(long = "check", value_name = "WHAT", value_enum, value_delimiter = ',')]
    pub checks: Vec<Check>,
}

impl From<DataModel> for Options {
    fn from(data_model: DataModel) -> Self {
        Options { data_model, checks: Vec::new() }
    }
}

/// What the claim says of the checks.
pub(crate) fn stated(checks: &[Check]) -> Option<String> {
    let all = [Check::Overflow, Check::Bounds, Check::Race].into_iter();
    let list: Vec<String> = all
        .filter(|check| checks.contains(check))
        .map(|check| format!("{} ({}_...)", check.says(), check.label()))
        .collect();
    let list = list.join(", ");
    (!list.is_empty()).then(|| {
        format!("errors are failing assertions (error_...) and: {list}; none has a location where the translation excludes it")
    })
}

/// The checks that have been asked for.
pub(crate) struct Checks {
    asked: Vec<Check>,
    /// Whether signed arithmetic wraps, as that of atomic functions does (C11, 7.17.7.5).
    pub wraps: bool,
}

impl Checks {
    /// Checks as they are asked for.
    pub(crate) fn new(asked: Vec<Check>) -> Self {
        Checks { asked, wraps: false }
    }

    /// Whether this is checked.
    pub(crate) fn asked(&self, check: Check) -> bool {
        self.asked.contains(&check)
    }
}
