//! `threadproof suggest-abstraction`: an abstract thread to begin with.

use super::{Failed, files};
use crate::control::Control;
use crate::prove::{Plan, conforms};
use crate::source::Source;
use crate::transform::suggest;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Suggest {
    /// Program file (.tp or .core)
    file: PathBuf,
    /// Thread to abstract
    #[arg(long, value_name = "NAME")]
    template: String,
}

impl Suggest {
    pub(super) fn run(&self) -> Result<u8, Failed> {
        let source = files::source(&self.file)?;
        let program = &source.program;
        let of = program.templates.iter().position(|t| t.name == self.template);
        let of = of.and_then(|of| u32::try_from(of).ok());
        let of = of.ok_or_else(|| {
            let names: Vec<&str> = program.templates.iter().map(|t| t.name.as_str()).collect();
            Failed::Said(format!(
                "unknown thread `{}`; expected one of {}",
                self.template,
                names.join(", ")
            ))
        })?;
        let proposal = suggest::propose(program, of)?;
        let abstraction = Source::of(suggest::abstract_program(program, of, &proposal));
        let (plan, control) = (Plan::default(), Control::default());
        let said = match conforms(&source, &abstraction, &plan, &control) {
            Ok(()) => format!("// {} conforms to it.\n", self.template),
            Err(unknown) => format!("// Not shown to conform: {}\n", unknown.reason),
        };
        let name = format!("{}_abstract", self.template);
        let text = suggest::tp(program, &name, &proposal);
        files::print(&format!("{said}{text}// thread {} abstracts {name}\n", self.template))?;
        Ok(0)
    }
}
