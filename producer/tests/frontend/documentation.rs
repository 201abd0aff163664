//! Every program in docs/language.md lowers: the examples are the indented blocks with a thread.

use threadproof_producer::frontend::tp;

/// The indented blocks of a text, each without its indentation.
fn blocks(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    for line in text.lines() {
        match (line.strip_prefix("    "), out.last_mut()) {
            (Some(code), Some(block)) => *block += &format!("{code}\n"),
            (None, Some(block)) if line.trim().is_empty() => *block += "\n",
            _ => out.push(String::new()),
        }
    }
    out
}

#[test]
fn the_programs_of_the_documentation_lower() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/language.md");
    let text = std::fs::read_to_string(path).expect("the documentation");
    let programs = blocks(&text).into_iter().filter(|b| b.trim_start().starts_with("global int"));
    let programs: Vec<String> = programs.filter(|b| b.contains("thread ")).collect();
    assert_eq!(programs.len(), 5);
    for program in programs {
        if let Err(errors) = tp::lower("language.md", &program) {
            panic!("{errors}");
        }
    }
}
