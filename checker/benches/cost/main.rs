//! What checks cost, against what they charge (SPEC.md section 11): each list of the format and of
//! the core form at two lengths, alone and in pairs (`make cost`); and what hostile files cost at
//! most (`make hostile`).

mod conformance;
mod encoding;
mod execution;
mod family;
mod format;
mod hostile;
mod kernel;
mod shapes;
mod space;
mod table;
mod text;

use std::process::ExitCode;

/// `hostile MIB` measures hostile files of so many MiB, `check PROGRAM CERTIFICATE` one pair of
/// files; anything else names what the shapes of the table have in their names.
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["check", program, certificate] => hostile::check(program, certificate),
        ["hostile", mib, ref names @ ..] => hostile::run(mib.parse().expect("a number"), names),
        ref names => table::run(names),
    }
}
