//! Texts that are damaged at random: the front end answers, and what it accepts the checker reads.

use threadproof_checker::core_form;
use threadproof_producer::frontend::tp;

/// A small generator of pseudo-random numbers, the same on every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % n.max(1)
    }
}

/// Words and signs to put somewhere; the last ones are no part of the language.
const PIECES: [&str; 28] = [
    "{",
    "}",
    "(",
    ")",
    ";",
    "=",
    "==",
    "*",
    "-",
    "!",
    "/ 2",
    "while (x) ",
    "if (*) ",
    "atomic {",
    "goto l; l:",
    "cas(x, 1, 2)",
    "lock(m);",
    "local int z;",
    "assert(false);",
    "[1]",
    "'",
    "unchanged",
    "initial node n;",
    "local int k in 0..2;",
    "/*",
    "é",
    "\"",
    "\u{0}",
];

fn damaged(source: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = source.chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(chars.len());
        match random.below(3) {
            0 => {
                let end = (at + random.below(12)).min(chars.len());
                chars.drain(at..end);
            }
            1 => {
                let end = (at + random.below(30)).min(chars.len());
                let copy: Vec<char> = chars[at..end].to_vec();
                let to = random.below(chars.len());
                chars.splice(to..to, copy);
            }
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                chars.splice(at..at, piece.chars());
            }
        }
    }
    chars.into_iter().collect()
}

#[test]
fn damaged_programs_are_lowered_or_refused() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus");
    let folders = [corpus.to_owned(), format!("{corpus}/abstract")];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("the folder"));
    let mut paths: Vec<_> = files.map(|f| f.expect("a file").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "tp"));
    paths.sort();
    let mut random = Random(1);
    let (mut lowered, mut refused) = (0, 0);
    for path in paths {
        let source = std::fs::read_to_string(&path).expect("a text");
        for _ in 0..60 {
            let text = damaged(&source, &mut random);
            match tp::lower("damaged.tp", &text) {
                Ok(program) => {
                    let (read, _) = core_form::parse(&program.core_form()).expect(&text);
                    assert_eq!(read, program.program, "{text}");
                    for layer in &program.layers {
                        let (read, _) = core_form::parse(&layer.core_form()).expect(&text);
                        assert_eq!(read, layer.program, "{text}");
                    }
                    lowered += 1;
                }
                Err(errors) => {
                    assert!(!errors.items().is_empty(), "{text}");
                    assert!(errors.to_string().contains("damaged.tp:"), "{text}");
                    refused += 1;
                }
            }
        }
    }
    assert!(lowered > 100 && refused > 100, "{lowered} lowered, {refused} refused");
}
