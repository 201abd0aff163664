//! Front ends: from a file to the program that is proved and checked.

pub mod c;
mod core;
pub mod tp;

use crate::source::Source;
use crate::text::Diagnostics;
use std::path::Path;
use threadproof_format::Cmp;

/// What reads the files of one language.
pub trait Frontend: Sync {
    /// The language, for messages.
    fn name(&self) -> &'static str;
    /// How the names of its files end, without the dot.
    fn suffixes(&self) -> &'static [&'static str];
    /// The option on the command line that was given and that no other front end knows.
    fn option(&self, options: &Options) -> Option<&'static str> {
        let _ = options;
        None
    }
    /// What to do about a program that has nothing to prove, if these options leave something.
    fn nothing_to_prove(&self, options: &Options) -> Option<&'static str> {
        let _ = options;
        Some("say what should hold with `assert`")
    }
    /// Reads a file, and prints warnings about it.
    ///
    /// # Errors
    /// What is wrong with the file, or not supported.
    fn read(&self, path: &Path, options: &Options) -> Result<Source, ReadError>;
}

/// All front ends.
pub fn all() -> [&'static dyn Frontend; 3] {
    [&tp::Tp, &c::C, &core::Core]
}

/// The options of all front ends, as the command line has them.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Options {
    /// Those of C.
    #[command(flatten)]
    pub c: c::Options,
}

/// Why a program cannot be read.
#[derive(Debug)]
pub enum ReadError {
    /// The text for the user.
    Said(String),
    /// What is wrong with a source.
    Diagnosed(Diagnostics),
}

impl<E: std::fmt::Display> From<E> for ReadError {
    fn from(error: E) -> Self {
        ReadError::Said(error.to_string())
    }
}

/// Reads a program by the front end for the file's suffix.
///
/// # Errors
/// What is wrong with the file, or with the options.
pub fn read(path: &Path, options: &Options) -> Result<Source, ReadError> {
    let name = path.display();
    for other in all().into_iter().filter(|of| !reads(*of, path)) {
        if let Some(option) = other.option(options) {
            let files = list(other.suffixes().iter());
            let language = other.name();
            return Err(
                format!("{name}: {option} applies only to {language} programs ({files})").into()
            );
        }
    }
    match of(path) {
        Some(frontend) => frontend.read(path, options),
        None => {
            let files = list(all().iter().flat_map(|of| of.suffixes()));
            Err(format!("{name}: unknown kind of file; expected {files}").into())
        }
    }
}

/// Whether a front end reads files of this suffix.
fn reads(frontend: &dyn Frontend, path: &Path) -> bool {
    let suffix = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    frontend.suffixes().contains(&suffix)
}

/// The front end for a file's suffix.
fn of(path: &Path) -> Option<&'static dyn Frontend> {
    all().into_iter().find(|frontend| reads(*frontend, path))
}

/// What to do about a file whose program has nothing to prove, if anything.
pub fn nothing_to_prove(path: &Path, options: &Options) -> Option<&'static str> {
    of(path)?.nothing_to_prove(options)
}

/// Suffixes in a sentence: `.c or .i`.
fn list<'a>(suffixes: impl Iterator<Item = &'a &'static str>) -> String {
    let mut all: Vec<String> = suffixes.map(|suffix| format!(".{suffix}")).collect();
    let last = all.pop().unwrap_or_default();
    if all.is_empty() { last } else { format!("{} or {last}", all.join(", ")) }
}

/// The comparison that holds where this one does not.
fn negated(cmp: Cmp) -> Cmp {
    match cmp {
        Cmp::Eq => Cmp::Ne,
        Cmp::Ne => Cmp::Eq,
        Cmp::Lt => Cmp::Ge,
        Cmp::Le => Cmp::Gt,
        Cmp::Gt => Cmp::Le,
        Cmp::Ge => Cmp::Lt,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_suffix_belongs_to_one_front_end() {
        let mut suffixes: Vec<&str> = all().iter().flat_map(|of| of.suffixes()).copied().collect();
        assert_eq!(suffixes, ["tp", "c", "i", "core"]);
        suffixes.sort_unstable();
        suffixes.dedup();
        assert_eq!(suffixes.len(), 4);
    }

    #[test]
    fn other_names_and_options_are_refused() {
        let refused = |path: &str, options: &Options| match read(Path::new(path), options) {
            Err(ReadError::Said(text)) => text,
            other => panic!("{other:?}"),
        };
        let mut options = Options::default();
        let said = refused("a.txt", &options);
        assert_eq!(said, "a.txt: unknown kind of file; expected .tp, .c, .i or .core");
        options.c.checks.push(c::Check::Race);
        let said = refused("a.tp", &options);
        assert_eq!(said, "a.tp: --check applies only to C programs (.c or .i)");
    }
}
