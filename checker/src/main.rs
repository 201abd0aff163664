//! `threadproof-check PROGRAM CERTIFICATE`: checks a certificate about a program in the core form.
//!
//! Exit codes: 0 accepted, 1 rejected, 2 declined, 3 usage or input and output.

#![forbid(unsafe_code)]

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::ExitCode;
use threadproof_checker::claim::verdict;
use threadproof_checker::error::Reason;
use threadproof_format::limits::MAX_BYTES;

const USAGE: &str = "usage: threadproof-check [--json] PROGRAM CERTIFICATE

Checks that CERTIFICATE proves its claim about PROGRAM, a text in the core form,
and prints the claim. Exit codes: 0 accepted, 1 rejected, 2 declined, 3 usage or I/O.
";

fn main() -> ExitCode {
    let mut json = false;
    let mut files = Vec::new();
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--json") => json = true,
            Some("--help" | "-h") => return print(USAGE, 0),
            Some("--version") => {
                return print(concat!("threadproof-check ", env!("CARGO_PKG_VERSION"), "\n"), 0);
            }
            Some(option) if option.starts_with('-') => return complain(USAGE),
            _ => files.push(argument),
        }
    }
    let [program, certificate] = &files[..] else {
        return complain(USAGE);
    };
    let inputs = read(program).and_then(|p| Ok((p, read(certificate)?)));
    let (program, certificate) = match inputs {
        Ok(inputs) => inputs,
        Err(message) => return complain(&format!("threadproof-check: {message}\n")),
    };
    let result = match std::str::from_utf8(&program) {
        Ok(program) => threadproof_checker::check(program, &certificate),
        Err(_) if program.len() > MAX_BYTES => Err(Reason::Limit("bytes of a program").into()),
        Err(_) => Err(Reason::Syntax(1, 1, "the program is not UTF-8".to_owned()).into()),
    };
    let (text, code) = verdict(&result, json);
    print(&text, code)
}

/// Prints and exits with the code; a verdict that cannot be printed is an I/O error.
fn print(text: &str, code: u8) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::from(code),
        Err(_) => ExitCode::from(3),
    }
}

/// Says why there is no verdict. That nobody reads it changes nothing.
fn complain(text: &str) -> ExitCode {
    let _ = std::io::stderr().write_all(text.as_bytes());
    ExitCode::from(3)
}

/// Reads a file, but no more than a little over the limit: the checker then declines.
fn read(path: &std::ffi::OsStr) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let read = file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(bytes)
}
