//! x
#[test]
fn x() {
    let f = std::env::var("TP").unwrap();
    let s = std::fs::read_to_string(&f).unwrap();
    match threadproof_producer::frontend::tp::lower(&f, &s) {
        Ok(l) => println!("{}", l.core_form()),
        Err(e) => println!("{e}"),
    }
}
