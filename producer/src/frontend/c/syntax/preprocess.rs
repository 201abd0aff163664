//! Preprocessing of `.c` files by the system's compiler, with small headers of our own.
//!
//! The C library's headers for threads and atomics use extensions that no parser of standard C
//! reads, and say nothing that the front end does not know. Ours stand in their place.

use crate::frontend::c::syntax::source::own_files;
use crate::frontend::c::types::DataModel;
use crate::text::characters::{misleading, without_mark};
use std::path::Path;
use std::process::Command;

/// The headers: names and texts.
const HEADERS: [(&str, &str); 12] = [
    ("pthread.h", include_str!("headers/pthread.h")),
    ("assert.h", include_str!("headers/assert.h")),
    ("stdlib.h", include_str!("headers/stdlib.h")),
    ("stdatomic.h", include_str!("headers/stdatomic.h")),
    ("stdbool.h", include_str!("headers/stdbool.h")),
    ("stdio.h", include_str!("headers/stdio.h")),
    ("stddef.h", include_str!("headers/stddef.h")),
    ("stdint.h", include_str!("headers/stdint.h")),
    ("limits.h", include_str!("headers/limits.h")),
    ("unistd.h", include_str!("headers/unistd.h")),
    ("sched.h", include_str!("headers/sched.h")),
    ("time.h", include_str!("headers/time.h")),
];

/// Warnings of one file.
const MAX_WARNINGS: usize = 20;

/// Preprocessors that are tried in this order.
const COMPILERS: [&str; 3] = ["gcc", "clang", "cc"];

/// Why a C file is not preprocessed.
#[derive(Debug, thiserror::Error)]
pub enum PreprocessError {
    /// The headers cannot be written.
    #[error(transparent)]
    Headers(#[from] std::io::Error),
    /// A compiler is there, and cannot be run.
    #[error("{0}: {1}")]
    Compiler(&'static str, std::io::Error),
    /// What the compiler says.
    #[error("{0} -E fails:\n{1}")]
    Source(&'static str, String),
    /// Not UTF-8.
    #[error("the text is not UTF-8")]
    Encoding,
    /// None of the known compilers is there.
    #[error(
        "there is no C compiler to preprocess it ({}): install one, or give a preprocessed file (.i)",
        COMPILERS.join(", ")
    )]
    NoCompiler,
}

/// The preprocessed text of a C file.
///
/// # Errors
///
/// There is no C compiler, or what it says.
pub fn preprocess(path: &Path, model: DataModel) -> Result<String, PreprocessError> {
    let folder = tempfile::tempdir()?;
    for (name, text) in HEADERS {
        std::fs::write(folder.path().join(name), text)?;
    }
    let width = match model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    };
    for compiler in COMPILERS {
        let mut command = Command::new(compiler);
        command.args(["-E", width, "-D__thread=_Thread_local", "-I"]).arg(folder.path()).arg(path);
        let output = match command.output() {
            Ok(output) => output,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(PreprocessError::Compiler(compiler, error)),
        };
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(PreprocessError::Source(compiler, said.trim_end().to_owned()));
        }
        return String::from_utf8(output.stdout).map_err(|_| PreprocessError::Encoding);
    }
    Err(PreprocessError::NoCompiler)
}

/// What makes the sources of a C program look different from how they are read: a warning for each
/// such character, with its place. `text` is what the file is after preprocessing, which names the
/// files that it includes; comments are in them alone. Headers of the system are not looked at.
pub fn warnings(path: &Path, text: &str) -> Vec<String> {
    if path.extension().is_some_and(|extension| extension == "i") {
        return within(&path.display().to_string(), text);
    }
    let files = own_files(&path.display().to_string(), text);
    let read = files.into_iter().filter_map(|file| Some((std::fs::read(&file).ok()?, file)));
    read.flat_map(|(bytes, file)| within(&file, &String::from_utf8_lossy(&bytes))).collect()
}

/// The warnings of one text.
fn within(file: &str, text: &str) -> Vec<String> {
    let text = without_mark(text);
    let mut out = Vec::new();
    for (at, c, what) in misleading(text) {
        if out.len() == MAX_WARNINGS {
            out.push(format!("{file}: warning: and more of these"));
            break;
        }
        let line = text[..at].matches('\n').count() + 1;
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let column = text[start..at].chars().count() + 1;
        let code = u32::from(c);
        out.push(format!("{file}:{line}:{column}: warning: U+{code:04X} is {what}"));
    }
    out
}
