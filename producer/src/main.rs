//! `threadproof`: proves concurrent programs correct for any number of threads.

use std::process::ExitCode;

fn main() -> ExitCode {
    threadproof_producer::command::run()
}
