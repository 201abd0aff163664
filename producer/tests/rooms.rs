//! The rooms of the producer (ARCHITECTURE.md): no import runs back up, and engines and front ends
//! know nothing of each other.

use std::path::{Path, PathBuf};

/// The rooms from the ground up; those of one line may import each other.
const ROOMS: [&[&str]; 13] = [
    &["control"],
    &["solve"],
    &["text"],
    &["logic"],
    &["source"],
    &["trace"],
    &["counting"],
    &["transform"],
    &["frontend"],
    &["invariant", "certify"],
    &["engine"],
    &["explain", "report", "smtlib"],
    &["prove"],
];

/// Rooms whose parts must not import each other.
const SIBLINGS: [&str; 2] = ["engine", "frontend"];

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, out);
        } else {
            out.push(path);
        }
    }
}

/// A file's module path, and its text without its tests.
fn sources() -> Vec<(Vec<String>, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&root, &mut all);
    let read = |path: PathBuf| {
        let inside = path.strip_prefix(&root).expect("a file of the crate").with_extension("");
        let module = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let text = std::fs::read_to_string(&path).expect("a source");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
        (module, code)
    };
    all.into_iter().map(read).collect()
}

/// The paths after `crate::`, as far as they are modules.
fn imports(code: &str) -> Vec<Vec<String>> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let after = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let after = after.flat_map(|line| line.split("crate::").skip(1));
    let paths = after.map(|rest| rest.split(|c| !word(c)).next().unwrap_or_default());
    paths.map(|path| path.split("::").map(str::to_owned).collect()).collect()
}

fn floor(room: &str) -> Option<usize> {
    ROOMS.iter().position(|rooms| rooms.contains(&room))
}

#[test]
fn no_import_runs_back_up() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for (module, code) in sources() {
        let Some(own) = floor(&module[0]) else { continue };
        for import in imports(&code) {
            seen += 1;
            if floor(&import[0]).is_none_or(|other| other > own) {
                wrong.push(format!("{} imports {}", module.join("/"), import.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 300, "{seen} imports");
}

#[test]
fn engines_and_front_ends_do_not_import_each_other() {
    let mut wrong = Vec::new();
    for (module, code) in sources() {
        let parts = SIBLINGS.contains(&module[0].as_str()) && module.len() > 2;
        for import in imports(&code).into_iter().filter(|_| parts) {
            let part = |name: &str| {
                let folder = format!("src/{}/{name}", module[0]);
                Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).is_dir()
            };
            let named = import.get(1).filter(|name| !name.is_empty() && part(name));
            let other = named.filter(|name| **name != module[1]);
            if import[0] == module[0] && other.is_some() {
                wrong.push(format!("{} imports {}", module.join("/"), import.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
