//! Preprocessing of `.c` files by the system's compiler, with small headers of our own.
//!
//! The C library's headers for threads and atomics use extensions that no parser of standard C reads, and say nothing that
//! the front end does not know. Ours stand in their place.

use super::types::DataModel;
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

/// Preprocessors that are tried in this order.
const COMPILERS: [&str; 3] = ["gcc", "clang", "cc"];

/// The preprocessed text of a C file.
///
/// # Errors
///
/// There is no C compiler, or what it says.
pub fn preprocess(path: &Path, model: DataModel) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    for (name, text) in HEADERS {
        std::fs::write(folder.path().join(name), text).map_err(|e| e.to_string())?;
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
            Err(error) => return Err(format!("{compiler}: {error}")),
        };
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{compiler} -E fails:\n{}", said.trim_end()));
        }
        return String::from_utf8(output.stdout).map_err(|_| "the text is not UTF-8".to_owned());
    }
    let names = COMPILERS.join(", ");
    Err(format!(
        "there is no C compiler to preprocess it ({names}): install one, or give a preprocessed file (.i)"
    ))
}
