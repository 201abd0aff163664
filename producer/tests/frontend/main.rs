//! The `.tp` front end as its users meet it: errors, the core programs that it makes, what those
//! do when they are executed, and the programs of corpus/.

mod abstraction;
mod clauses;
mod corpus;
mod documentation;
mod errors;
mod layout;
mod lowering;
mod relations;
mod robustness;
mod semantics;
mod specification;
mod vacuity;

use threadproof_format::program::Program;
use threadproof_producer::frontend::tp;
use threadproof_producer::source::Source;

/// Lowers a text that has no error.
fn lowered(source: &str) -> Source {
    match tp::lower("test.tp", source) {
        Ok(lowered) => lowered,
        Err(errors) => panic!("{errors}"),
    }
}

/// Lowers the statements of one thread: `globals` before it, `locals` in it.
fn thread(globals: &str, locals: &str, statements: &str) -> Source {
    lowered(&format!("{globals}\nthread t[*] {{\n{locals}\n{statements}\n}}\n"))
}

/// The lines of the core form that hold edges, without their notes.
fn edges(lowered: &Source) -> Vec<String> {
    edges_of(&lowered.program)
}

fn edges_of(program: &Program) -> Vec<String> {
    let text = threadproof_producer::logic::print::program(program, &|_, _| String::new());
    let edges = text.lines().filter_map(|l| l.trim().strip_prefix("edge "));
    edges.map(str::to_owned).collect()
}
