//! The corpus: programs with verdicts.

use crate::harness::root;
use serde_json::Value;
use std::path::PathBuf;

/// One program of the corpus.
#[derive(Debug, Clone)]
pub struct Entry {
    pub file: String,
    pub safe: bool,
    pub twin_of: Option<String>,
    /// What a C program is checked for besides its assertions.
    pub check: Option<String>,
    /// It is safe for lack of content: the translation leaves no error location.
    pub vacuous: bool,
    folder: PathBuf,
}

impl Entry {
    /// The exit code of a checker.
    pub fn checked(&self) -> i32 {
        match (self.safe, self.vacuous) {
            (true, false) => 0,
            (true, true) => 4,
            (false, _) => 6,
        }
    }

    /// The exit code of `prove`.
    pub fn code(&self) -> i32 {
        match (self.safe, self.vacuous) {
            (true, false) => 0,
            (true, true) => 4,
            (false, _) => 1,
        }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.file)
    }
}

/// The corpus of programs in the language.
pub fn corpus() -> Vec<Entry> {
    manifest("corpus", ".tp", 250)
}

/// A folder's manifest; fails if it names fewer programs than these, one that is missing, or leaves
/// one out.
pub fn manifest(folder: &str, ending: &str, least: usize) -> Vec<Entry> {
    let folder = root().join(folder);
    let text = std::fs::read_to_string(folder.join("manifest.json")).expect("the manifest");
    let list: Vec<Value> = serde_json::from_str(&text).expect("a JSON array");
    let entries: Vec<Entry> = list
        .iter()
        .map(|item| Entry {
            file: item["file"].as_str().expect("file").to_owned(),
            safe: match item["verdict"].as_str() {
                Some("safe") => true,
                Some("unsafe") => false,
                other => panic!("verdict {other:?}"),
            },
            twin_of: item["twin_of"].as_str().map(str::to_owned),
            check: item["check"].as_str().map(str::to_owned),
            vacuous: item["vacuous"].as_bool().unwrap_or_default(),
            folder: folder.clone(),
        })
        .collect();
    let mut listed: Vec<String> = entries.iter().map(|e| e.file.clone()).collect();
    listed.sort();
    let files = std::fs::read_dir(&folder).expect("the corpus");
    let mut found: Vec<String> = files
        .map(|f| f.expect("a file").file_name().into_string().expect("UTF-8"))
        .filter(|name| name.ends_with(ending))
        .collect();
    found.sort();
    assert_eq!(listed, found, "the manifest lists each program once");
    assert!(entries.len() >= least, "the corpus has {} programs", entries.len());
    entries
}

/// Each safe program has a broken twin, and each broken one is the twin of a safe one.
///
/// # Panics
/// If one is not so.
pub fn assert_twins(entries: &[Entry]) {
    for entry in entries {
        match &entry.twin_of {
            Some(original) => {
                let original = entries.iter().find(|e| e.file == *original);
                assert!(!entry.safe && original.is_some_and(|e| e.safe), "{}", entry.file);
            }
            None => {
                let twin = |e: &&Entry| e.twin_of.as_ref() == Some(&entry.file);
                assert!(entry.safe && entries.iter().any(|e| twin(&e)), "{}", entry.file);
            }
        }
    }
}
