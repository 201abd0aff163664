//! Traces as text: one line a step, `worker 2: L1 -> L2`. `explain::trace` reads it.

use threadproof_format::program::{Edge, Program, Template};

/// A thread's name: its template, with its number if there can be several.
pub fn thread_name(program: &Program, template: u32, number: u32) -> String {
    match template_of(program, template) {
        Some(template) if template.is_many() => format!("{} {number}", template.name),
        Some(template) => template.name.clone(),
        None => "?".to_owned(),
    }
}

/// A step of the thread with this name. The edge's number stands after the locations if another
/// edge joins the same two.
pub fn step(program: &Program, name: &str, template: u32, edge: u32) -> String {
    let Some(template) = template_of(program, template) else { return "?".to_owned() };
    let at = usize::try_from(edge).ok();
    let Some(found) = at.and_then(|e| template.edges.get(e)) else { return "?".to_owned() };
    let place = |l: u32| {
        let location = usize::try_from(l).ok().and_then(|l| template.locations.get(l));
        location.map_or("?", |l| l.name.as_str())
    };
    let joins = |e: &&Edge| e.source == found.source && e.target == found.target;
    let number = match template.edges.iter().filter(joins).count() {
        1 => String::new(),
        _ => format!(" #{edge}"),
    };
    format!("{name}: {} -> {}{number}", place(found.source), place(found.target))
}

fn template_of(program: &Program, template: u32) -> Option<&Template> {
    usize::try_from(template).ok().and_then(|t| program.templates.get(t))
}
