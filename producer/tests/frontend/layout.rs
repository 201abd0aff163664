//! The digest of a program is over its core form: it depends on what the program says, and not on
//! how its text is laid out.

use super::corpus::read;
use super::thread;
use threadproof_checker::internals::core_form;
use threadproof_format::Digest;
use threadproof_producer::frontend::tp;
use threadproof_tests::corpus::corpus;

fn digest(file: &str, source: &str) -> Digest {
    let lowered = tp::lower(file, source).unwrap_or_else(|errors| panic!("{errors}"));
    core_form::parse(&lowered.core).expect(file).1
}

/// The same program with more comments, blank lines, another indentation, line ends and name.
fn laid_out_anew(source: &str) -> String {
    let mut text = "// Moved here.\n/* On\n two lines. */\n\n".to_owned();
    for line in source.lines() {
        let code = line.split("//").next().unwrap_or("").trim();
        let line = code.replace("; ", ";\n\n\t\t").replace(" (", "  /* ( */  (");
        text += &format!("\r\n\t {line} // assert(false); here\n");
    }
    text
}

#[test]
fn comments_blank_lines_indentation_and_the_file_name_do_not_change_the_digest() {
    for entry in corpus() {
        let source = read(&entry.file);
        let anew = laid_out_anew(&source);
        assert!(anew.lines().count() > source.lines().count() + 10);
        let (old, new) = (digest(&entry.file, &source), digest("moved.tp", &anew));
        assert_eq!(old, new, "{}:\n{anew}", entry.file);
    }
}

#[test]
fn programs_that_differ_have_different_digests() {
    let source = read("thread_pool.tp");
    let changes =
        [("c + 1", "c + 2"), ("lock(m);", "lock(m); lock(m);"), ("tasks[c] == 1", "tasks[c] >= 1")];
    for (old, new) in changes {
        assert!(source.contains(old));
        let changed = source.replacen(old, new, 1);
        assert_ne!(digest("a.tp", &source), digest("a.tp", &changed), "{new}");
    }
}

#[test]
fn labels_keep_their_names_and_locations_that_clash_with_them_get_others() {
    let l = thread(
        "global int x;",
        "",
        "x = 1;\nL1: assert(x > 0);\nx = 2;\nerror_1: x = 3;\nx = 4;\nL3: x = 5;\nend: x = 6;",
    );
    let names: Vec<_> = l.program.templates[0].locations.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["L1_2", "L1", "L2", "error_1", "L3_2", "L3", "end", "end_2", "error_1_2"]);
}
