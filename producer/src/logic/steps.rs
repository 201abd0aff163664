//! Traces as text: a line for each thread's steps in a row, `worker 2: L1 -> L2 -> L3`.
//! `explain::trace` reads it.

use threadproof_format::program::{Edge, Program, Template};

/// A thread's name: its template, with its number if there can be several.
pub fn thread_name(program: &Program, template: u32, number: u32) -> String {
    match template_of(program, template) {
        Some(template) if template.is_many() => format!("{} {number}", template.name),
        Some(template) => template.name.clone(),
        None => "?".to_owned(),
    }
}

/// Steps of threads: name, template and edge of each. Those that one thread makes in a row share a
/// line.
pub fn lines(
    program: &Program,
    steps: impl IntoIterator<Item = (String, u32, u32)>,
) -> Vec<String> {
    let mut lines: Vec<(String, String)> = Vec::new();
    for (name, template, edge) in steps {
        let (source, target) = ends(program, template, edge);
        match lines.last_mut().filter(|(last, _)| *last == name) {
            Some((_, line)) => line.push_str(&format!(" -> {target}")),
            None => lines.push((name.clone(), format!("{name}: {source} -> {target}"))),
        }
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Where an edge begins and ends. The edge's number stands after the end if another edge joins the
/// same two locations.
fn ends(program: &Program, template: u32, edge: u32) -> (String, String) {
    let unknown = || ("?".to_owned(), "?".to_owned());
    let Some(template) = template_of(program, template) else { return unknown() };
    let at = usize::try_from(edge).ok();
    let Some(found) = at.and_then(|e| template.edges.get(e)) else { return unknown() };
    let place = |l: u32| {
        let location = usize::try_from(l).ok().and_then(|l| template.locations.get(l));
        location.map_or_else(|| "?".to_owned(), |l| l.name.clone())
    };
    let joins = |e: &&Edge| e.source == found.source && e.target == found.target;
    let number = match template.edges.iter().filter(joins).count() {
        1 => String::new(),
        _ => format!(" #{edge}"),
    };
    (place(found.source), format!("{}{number}", place(found.target)))
}

fn template_of(program: &Program, template: u32) -> Option<&Template> {
    usize::try_from(template).ok().and_then(|t| program.templates.get(t))
}
