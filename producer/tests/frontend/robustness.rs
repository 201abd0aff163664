//! Texts that are damaged at random: the front end answers, and what it accepts the checker reads.

use threadproof_tests::fuzzing::tp::{self as target, PIECES};

/// A small generator of pseudo-random numbers, the same on every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % n.max(1)
    }
}

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
            match target::run(text.as_bytes()) {
                true => lowered += 1,
                false => refused += 1,
            }
        }
    }
    assert!(lowered > 100 && refused > 100, "{lowered} lowered, {refused} refused");
}
