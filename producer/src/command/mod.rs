//! The command line: what a user calls, and its exit codes.

mod certify;
mod check;
mod explain;
mod export;
mod files;
mod limits;
mod lower;
mod progress;
mod prove;
mod show;
mod suggest;

use crate::frontend::ReadError;
use crate::text::Diagnostics;
use clap::{Parser, Subcommand};
use std::io::IsTerminal as _;
use std::process::ExitCode;

/// Proves concurrent programs correct for any number of threads, with certificates that a small
/// checker (threadproof-check) validates without a solver.
#[derive(Debug, Parser)]
#[command(name = "threadproof", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Prove a program safe or find a counterexample; exit code 0 safe, 1 unsafe, 2 unknown, 3 bad
    /// input, 4 safe but vacuous, 5 safe within a number of rounds only
    Prove(prove::Prove),
    /// Print a program in the core form, which is what certificates are about
    Lower(lower::Lower),
    /// Check a certificate; exit code 0 accepted: safe, 1 rejected, 2 declined, 3 bad input, 4
    /// accepted but vacuous, 5 accepted: safe within a number of rounds only, 6 accepted: an error
    /// is reachable
    Check(check::Check),
    /// Prove a program with a given invariant; exit code 0 safe, 2 unknown, 3 bad input, 4 safe but
    /// vacuous
    Certify(certify::Certify),
    /// Export the invariant or the proof obligations of a certificate
    Export(export::Export),
    /// Print a certificate in readable form
    Show(show::Show),
    /// Propose an abstract thread as a starting point; exit code 3 for bad input
    SuggestAbstraction(suggest::Suggest),
    /// Explain why error traces are infeasible, by derivations from a proof
    Explain(explain::Explain),
}

/// Exit code of bad usage, bad input and failed input or output.
pub(crate) const BAD_INPUT: u8 = 3;

/// Why a command could not do its work. The exit code is 3.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The text for the user.
    Said(String),
    /// What is wrong with a source.
    Diagnosed(Diagnostics),
}

impl<E: std::fmt::Display> From<E> for Failed {
    fn from(error: E) -> Self {
        Failed::Said(error.to_string())
    }
}

impl From<ReadError> for Failed {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Said(text) => Failed::Said(text),
            ReadError::Diagnosed(diagnostics) => Failed::Diagnosed(diagnostics),
        }
    }
}

impl Failed {
    /// Says it: on standard error, or as JSON where the verdict would stand.
    fn tell(self, json: bool) {
        let colour = !json && std::io::stderr().is_terminal();
        let text = match self {
            Failed::Said(text) => text,
            Failed::Diagnosed(diagnostics) => diagnostics.render(colour),
        };
        if json {
            let object = serde_json::json!({"verdict": "error", "reason": text.trim_end()});
            // The exit code is the same whether or not this can be printed.
            let _ = files::print(&format!("{object}\n"));
        } else {
            files::complain(&text);
        }
    }
}

impl Command {
    /// Whether the answer is to be JSON.
    fn json(&self) -> bool {
        match self {
            Command::Prove(command) => command.json,
            Command::Lower(command) => command.json,
            Command::Check(command) => command.json,
            Command::Certify(command) => command.json,
            Command::Show(command) => command.json,
            Command::Explain(command) => command.json,
            Command::Export(_) | Command::SuggestAbstraction(_) => false,
        }
    }

    fn run(&self) -> Result<u8, Failed> {
        match self {
            Command::Prove(command) => command.run(),
            Command::Lower(command) => command.run(),
            Command::Check(command) => command.run(),
            Command::Certify(command) => command.run(),
            Command::Export(command) => command.run(),
            Command::Show(command) => command.run(),
            Command::SuggestAbstraction(command) => command.run(),
            Command::Explain(command) => command.run(),
        }
    }
}

/// Runs the command of the process's arguments.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let failed = error.use_stderr();
            let printed = error.print().is_ok();
            return ExitCode::from(if failed || !printed { BAD_INPUT } else { 0 });
        }
    };
    if let Err(error) = crate::solve::start() {
        files::complain(&error.to_string());
        return ExitCode::from(BAD_INPUT);
    }
    let code = cli.command.run().unwrap_or_else(|failed| {
        failed.tell(cli.command.json());
        BAD_INPUT
    });
    ExitCode::from(code)
}
