//! Code that costs something and does not charge. It compiles, as everything here does: but
//! `tools/metered.sh` sees that the checker cannot be written so. With `--cfg threadproof_metered`
//! each line that says `refused` is an error.
#![allow(dead_code, clippy::all, reason = "only compiled")]

use threadproof_format::program::{Program, Template};
use threadproof_format::proof::Certificate;
use threadproof_format::proof::proof_space::Instance;
use threadproof_format::refutation::Linear;
use threadproof_format::work::{Map, Name, Seq, Set};
use threadproof_format::{Expr, Int, Op};

fn lists(list: &Seq<u32>, other: &mut Seq<u32>) {
    for _ in list {} // refused
    let _ = list.iter(); // refused
    let _ = list[0]; // refused
    let _ = list.get(0); // refused
    let _ = list.contains(&0); // refused
    let _ = list.to_vec(); // refused
    let _: Seq<u32> = list.clone(); // refused
    let _ = list == other; // refused
    let _ = list < other; // refused
    other.push(0); // refused
    other.extend([0]); // refused
    other.insert(0, 0); // refused
    other.sort(); // refused
    other.retain(|_| true); // refused
    let _ = &list[..]; // refused
    let _: Seq<u32> = (0..10).collect(); // refused
    let _: Seq<u32> = vec![0; 10]; // refused
    let _: Vec<u32> = std::mem::take(other); // refused
    std::mem::take(other).into_iter(); // refused
}

fn tables(map: &mut Map<u32, u32>, set: &mut Set<u32>) {
    let _ = map.get(&0); // refused
    let _ = map.contains_key(&0); // refused
    let _ = map.insert(0, 0); // refused
    let _ = map.entry(0); // refused
    for _ in &*map {} // refused
    let _ = map.values(); // refused
    let _: Map<u32, u32> = map.clone(); // refused
    let _ = set.contains(&0); // refused
    let _ = set.insert(0); // refused
    for _ in &*set {} // refused
    let _: Set<u32> = (0..10).collect(); // refused
    let _ = std::collections::HashMap::from([(Expr::bool(true), 0)]); // refused
}

fn names(name: &Name, other: &Name) {
    let _: Name = name.clone(); // refused
    let _ = name == other; // refused
    let _ = name.len(); // refused
    let _ = name.as_str(); // refused
    let _ = format!("{name}"); // refused
    let _: &str = &*name; // refused
}

fn integers(a: &Int, b: &Int) {
    let _ = &a.0 + &b.0; // refused
    let _ = a.0.bits(); // refused
    let _: Int = a.clone(); // refused
    let _ = a.to_string(); // refused
    let _ = Int("1".parse().unwrap()); // refused
}

fn expressions(one: &Expr, other: &Expr, op: &Op) {
    let _: Expr = one.clone(); // refused
    let _ = one == other; // refused
    let _ = one.0.iter(); // refused
    let _: Op = op.clone(); // refused
}

fn others(instance: &Instance, form: &Linear, template: &Template, program: &Program) {
    let _: Instance = instance.clone(); // refused
    let _ = instance == instance; // refused
    let _ = instance.1.len() > 0 && instance < instance; // refused
    let _: Linear = form.clone(); // refused
    let _ = form == form; // refused
    let _: Template = template.clone(); // refused
    let _ = template == template; // refused
    let _ = program.init == program.init; // refused
    let _: Program = program.clone(); // refused
}

fn certificates(one: &Certificate) {
    let _: Certificate = one.clone(); // refused
    let _ = one == one; // refused
}
