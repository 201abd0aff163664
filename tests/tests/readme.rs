//! README.md's commands print what it says: its `console` blocks, one after the other, in a folder
//! with the corpus. A line `...` there stands for any lines, and times are not compared.

use snapbox::Assert;
use std::path::Path;
use std::process::Command;
use threadproof_tests::harness::{checker, root, threadproof};

/// A program that the text describes and does not show.
const NO_ASSERTION: &str = "global int g = 0;\nthread t { g = 1; }\n";

/// A command, and what it prints.
struct Step {
    command: String,
    output: String,
}

/// The commands of the `console` blocks.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for block in text.split("\n```console\n").skip(1) {
        let (block, _) = block.split_once("```").expect("the block's end");
        assert!(block.starts_with("$ "), "a block begins with a command: {block}");
        for line in block.lines() {
            match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => {
                    steps.push(Step { command: command.to_owned(), output: String::new() });
                }
                (None, Some(step)) => step.output += &format!("{line}\n"),
                (None, None) => unreachable!("there is a command before it"),
            }
        }
    }
    steps
}

/// A text whose times, such as `(0.02 s)`, are wild cards.
fn without_times(text: &str) -> String {
    let line = |line: &str| match line.strip_suffix(" s)").and_then(|l| l.rsplit_once('(')) {
        Some((before, time)) if time.parse::<f64>().is_ok() => format!("{before}([..] s)\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Runs a command in a shell that finds the binaries; what it prints, complaints included.
fn run(command: &str, folder: &Path) -> String {
    let mut path = std::ffi::OsString::new();
    for binary in [threadproof(), checker()] {
        path.push(binary.parent().expect("the profile's folder"));
        path.push(":");
    }
    path.push(std::env::var_os("PATH").expect("PATH"));
    let mut shell = Command::new("sh");
    let command = format!("exec 2>&1; {command}");
    let output = shell.args(["-c", &command]).current_dir(folder).env("PATH", path).output();
    let output = output.expect("a shell");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn the_commands_print_what_readme_says() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = root().canonicalize().expect("the checkout").join("corpus");
    std::os::unix::fs::symlink(corpus, folder.path().join("corpus")).expect("a link");
    std::fs::write(folder.path().join("no_assertion.tp"), NO_ASSERTION).expect("a file");
    let steps = steps(&readme);
    for Step { command, output } in &steps {
        println!("$ {command}");
        Assert::new().eq(run(command, folder.path()), without_times(output));
    }
    assert!(steps.len() >= 6, "README.md has {} commands", steps.len());
}
