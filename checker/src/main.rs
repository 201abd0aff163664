//! `threadproof-check PROGRAM CERTIFICATE`: checks a certificate about a program in the core form.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::ExitCode;
use threadproof_checker::verdict::{Verdict, printable, verdict};
use threadproof_checker::{claim::Claim, error::Failure};
use threadproof_format::limits::MAX_BYTES;

const USAGE: &str = "usage: threadproof-check [--json] [--] PROGRAM CERTIFICATE
       threadproof-check --print [--] PROGRAM

Checks that CERTIFICATE proves its claim about PROGRAM, a text in the core form,
and prints the claim; or prints PROGRAM as it is read, without comments.
Exit codes: 0 accepted: safe, 1 rejected, 2 declined, 3 usage, I/O or bad input,
4 accepted, but vacuous (true for lack of content), 5 accepted, but safe within
a number of rounds only, 6 accepted: an error is reachable.
";
const VERSION: &str = concat!("threadproof-check ", env!("CARGO_PKG_VERSION"), "\n");
const HELP: &str = "PROGRAM is a text in the core form: `threadproof lower FILE` writes it\n";
const SWAPPED: &str = "are the arguments swapped?\n";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let [only] = &arguments[..] {
        match only.to_str() {
            Some("--help" | "-h") => return print(USAGE, 0),
            Some("--version" | "-V") => return print(VERSION, 0),
            _ => {}
        }
    }
    let (mut json, mut printing, mut ended) = (false, false, false);
    let mut files = Vec::new();
    for argument in arguments {
        match argument.to_str().filter(|_| !ended) {
            Some("--") => ended = true,
            Some("--json") => json = true,
            Some("--print") => printing = true,
            Some(option) if option.starts_with('-') => return complain(USAGE),
            _ => files.push(argument),
        }
    }
    let said = match (&files[..], printing, json) {
        ([program], true, false) => read(program).map(|program| print_program(&program)),
        ([program, certificate], false, _) => {
            read(program).and_then(|program| Ok(print_verdict(&program, &read(certificate)?, json)))
        }
        _ => return complain(USAGE),
    };
    said.unwrap_or_else(|message| complain(&format!("threadproof-check: {message}\n")))
}

fn print_program(program: &[u8]) -> ExitCode {
    match threadproof_checker::read_back(program) {
        Ok(text) => print(&text, 0),
        Err(failure) => answer(&Err(failure), false, ""),
    }
}

fn print_verdict(program: &[u8], certificate: &[u8], json: bool) -> ExitCode {
    // A certificate is a map, and text begins otherwise.
    let swapped = matches!(program, [0xa0..=0xbf, ..]) || certificate.starts_with(b"core");
    let result = threadproof_checker::check(program, certificate);
    answer(&result, json, if swapped { SWAPPED } else { "" })
}

fn answer(result: &Result<Claim, Failure>, json: bool, swapped: &str) -> ExitCode {
    let (mut text, verdict) = verdict(result, json);
    if verdict == Verdict::BadInput && !json {
        text = text + HELP + swapped;
    }
    print(&text, verdict.code())
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
fn read(path: &OsString) -> Result<Vec<u8>, String> {
    let name = |error| format!("{}: {error}", printable(&path.display().to_string()));
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(name)?;
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(name)?;
    Ok(bytes)
}
