//! The parser of the core form on any text.

use threadproof_checker::internals::core_form::{parse, statement};
use threadproof_format::Digest;
use threadproof_producer::logic::print;

/// Parses a text: there is an answer, the same of the text's tokens alone and, if it is a program,
/// of the program as it is printed. Whether it is a program.
///
/// # Panics
/// If something of this is not so.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let parsed = parse(text);
    let Ok(tokens) = statement(text) else {
        assert!(parsed.is_err(), "a program without tokens");
        return false;
    };
    assert_eq!(statement(&tokens).as_ref(), Ok(&tokens), "its tokens have others");
    let again = parse(&tokens);
    let category = |result: &Result<_, threadproof_checker::error::Reason>| {
        result.as_ref().err().map(|reason| reason.category())
    };
    assert_eq!(category(&parsed), category(&again), "its tokens are judged otherwise");
    let Ok((program, digest)) = parsed else { return false };
    assert_eq!(digest, Digest::of([tokens.as_bytes()]));
    assert_eq!(again, Ok((program.clone(), digest)));
    let printed = print::program(&program, &|_, _| String::new());
    let (read, _) = parse(&printed).unwrap_or_else(|e| panic!("{e}:\n{printed}"));
    assert_eq!(read, program, "{printed}");
    true
}
