//! Bringing a draft into the checker's normal forms.
//!
//! The checker finds symmetries of predicates that the engine need not know: instances get their
//! normal form, triples the variants that the symmetries of their postcondition give (the
//! checker looks triples up by the acting thread's position), and what becomes a duplicate, or
//! is covered by another configuration, goes.

use super::CertifyError;
use super::embedding::{Embeddings, Index, mapped};
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::error::{Budget, Failure, Reason};
use threadproof_checker::proof_space::basis;
use threadproof_checker::proof_space::predicates::{FALSE, Predicates};
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::{
    Configuration, Impossible, Instance, Predicate, ProofSpace, Slot, Triple,
};
use threadproof_format::refutation::Refutation;

/// A proof on its way from the draft to the certificate.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The proof.
    pub proof: ProofSpace,
    /// What each configuration is called in messages (its number in the engine's draft), the
    /// impossible ones after the others.
    pub names: Vec<String>,
}

/// A draft in normal form: without hints, and with the error configurations listed, so that a
/// step may embed them too.
///
/// # Errors
/// If the checker refuses a predicate or triple.
pub fn normalise(program: &Program, draft: ProofSpace) -> Result<Draft, CertifyError> {
    let mut proof = merge_predicates(draft);
    let predicates = Predicates::new(program, &proof.predicates, &Budget::default())?;
    proof.initial.sort_by_key(|initial| initial.predicate);
    proof.initial.dedup_by_key(|initial| initial.predicate);
    proof.initial.retain(|initial| initial.predicate != FALSE);
    proof.basis = triples(program, &predicates, &proof.basis)?;
    let (mut list, mut names) = (Vec::new(), Vec::new());
    for (i, c) in proof.configurations.iter().enumerate() {
        let name = format!("configuration {i}");
        let lost = || Failure { place: name.clone(), reason: Reason::Index("thread") };
        list.push(configuration(&predicates, c).ok_or_else(lost)?);
        names.push(name);
    }
    let listed = proof.configurations.len();
    for (i, c) in proof.impossible.iter().enumerate() {
        let name = format!("impossible configuration {i}");
        let lost = || Failure { place: name.clone(), reason: Reason::Index("thread") };
        list.push(configuration(&predicates, &shape(c)).ok_or_else(lost)?);
        names.push(name);
    }
    let impossible = listed..list.len();
    for threads in error_threads(program) {
        list.push(Configuration { threads, negated: Vec::new(), steps: Vec::new() });
        names.push(format!("error configuration {}", list.len() - impossible.end - 1));
    }
    let kept = most_general(&predicates, &list);
    let split = |wanted: bool| {
        let kept = kept.iter().filter(|i| impossible.contains(i) == wanted);
        kept.map(|i| (list[*i].clone(), names[*i].clone())).unzip()
    };
    let (configurations, mut names_kept): (Vec<Configuration>, Vec<String>) = split(false);
    let (shapes, impossible_names): (Vec<Configuration>, Vec<String>) = split(true);
    names_kept.extend(impossible_names);
    proof.configurations = configurations;
    proof.impossible = shapes.into_iter().map(impossible_of).collect();
    proof.error_steps = Vec::new();
    Ok(Draft { proof, names: names_kept })
}

/// An impossible configuration as one without steps, which others embed alike.
pub fn shape(c: &Impossible) -> Configuration {
    Configuration { threads: c.threads.clone(), negated: c.negated.clone(), steps: Vec::new() }
}

fn impossible_of(c: Configuration) -> Impossible {
    let refutation = Refutation::default();
    Impossible { threads: c.threads, negated: c.negated, refutation }
}

/// Predicates that are listed twice become one.
fn merge_predicates(mut proof: ProofSpace) -> ProofSpace {
    let nothing = Predicate { formula: threadproof_format::Expr::bool(false), threads: Vec::new() };
    let mut list = vec![nothing];
    let mut numbers: Vec<u32> = vec![FALSE];
    for predicate in std::mem::take(&mut proof.predicates) {
        let at = list.iter().position(|known| *known == predicate).unwrap_or(list.len());
        if at == list.len() {
            list.push(predicate);
        }
        numbers.push(u32::try_from(at).unwrap_or(u32::MAX));
    }
    proof.predicates = list.split_off(1);
    super::prune::renumber_predicates(&mut proof, &numbers);
    proof
}

fn error_threads(program: &Program) -> Vec<Vec<Slot>> {
    let mut roots = Vec::new();
    for (t, template) in (0..).zip(&program.templates) {
        let errors = (0..).zip(&template.locations).filter(|(_, location)| location.error);
        roots.extend(errors.map(|(l, _)| vec![Slot(t, Some(l))]));
    }
    roots
}

/// A configuration in normal form, without threads of which it says nothing.
fn configuration(predicates: &Predicates, c: &Configuration) -> Option<Configuration> {
    let named: BTreeSet<u32> = c.negated.iter().flat_map(|i| i.1.iter().copied()).collect();
    let mut map = Vec::new();
    let mut threads = Vec::new();
    for (slot, thread) in (0..).zip(&c.threads) {
        map.push(u32::try_from(threads.len()).ok()?);
        if thread.1.is_some() || named.contains(&slot) {
            threads.push(*thread);
        }
    }
    let negated = c.negated.iter().filter(|i| i.0 != FALSE);
    let negated: Option<BTreeSet<Instance>> =
        negated.map(|i| mapped(predicates, i, &map)).collect();
    Some(Configuration { threads, negated: negated?.into_iter().collect(), steps: Vec::new() })
}

/// The configurations that no other one embeds into, but for the first among equals.
fn most_general(predicates: &Predicates, list: &[Configuration]) -> BTreeSet<usize> {
    let index = Index::new(list);
    let embeds = |from: usize, to: usize| {
        let mut found = false;
        let known = |image: Instance| list[to].negated.binary_search(&image).ok();
        let embeddings = Embeddings { predicates, from: &list[from], threads: &list[to].threads };
        embeddings.each(known, |_, _| {
            found = true;
            true
        });
        found
    };
    let covered = |b: &usize| {
        let others = index.candidates(&list[*b].threads).into_iter().filter(|a| a != b);
        others.into_iter().any(|a| embeds(a, *b) && (a < *b || !embeds(*b, a)))
    };
    (0..list.len()).filter(|b| !covered(b)).collect()
}

/// The triples in normal form, with the variants that symmetries of the postcondition give.
fn triples(
    program: &Program,
    predicates: &Predicates,
    basis: &[Triple],
) -> Result<Vec<Triple>, CertifyError> {
    let mut seen = BTreeSet::new();
    let mut list = Vec::new();
    for (i, triple) in basis.iter().enumerate() {
        let place = |reason| Failure { place: format!("triple {i}"), reason };
        for variant in variants(program, predicates, triple).map_err(place)? {
            let key =
                (variant.template, variant.edge, variant.post, variant.acting, variant.pre.clone());
            if seen.insert(key) {
                list.push(variant);
            }
        }
    }
    Ok(list)
}

/// The triple and its variants: the postcondition's arguments in each order that says the same.
fn variants(
    program: &Program,
    predicates: &Predicates,
    triple: &Triple,
) -> Result<Vec<Triple>, Reason> {
    let threads = basis::threads(
        program,
        predicates,
        triple.template,
        triple.post,
        triple.acting,
        &Budget::default(),
    )?;
    let mut out = Vec::new();
    for order in symmetries(predicates, triple.post)? {
        let args: Vec<u32> = order.iter().filter_map(|i| threads.post.get(*i)).copied().collect();
        // The acting thread stays 0, the others are numbered as they occur now.
        let mut map: BTreeMap<u32, u32> = BTreeMap::from([(0, 0)]);
        let mut acting = 0;
        for (i, thread) in (1..).zip(&args) {
            if *thread == 0 {
                acting = i;
            } else {
                let next = u32::try_from(map.len()).unwrap_or(u32::MAX);
                map.insert(*thread, next);
            }
        }
        let map: Vec<u32> = map.into_values().collect();
        let pre = triple.pre.iter().map(|i| mapped(predicates, i, &map).ok_or(Reason::Irrelevant));
        let pre: BTreeSet<Instance> = pre.collect::<Result<_, _>>()?;
        let pre = pre.into_iter().collect();
        out.push(Triple { pre, acting, refutation: Refutation::default(), ..triple.clone() });
    }
    Ok(out)
}

/// The orders of a predicate's positions that leave it as it is, the identity first.
fn symmetries(predicates: &Predicates, predicate: u32) -> Result<Vec<Vec<usize>>, Reason> {
    let arity = predicates.get(predicate, &Budget::default())?.predicate.threads.len();
    let identity: Vec<usize> = (0..arity).collect();
    let instance = |order: &[usize]| {
        let args = order.iter().map(|i| u32::try_from(*i).unwrap_or(u32::MAX)).collect();
        predicates.normal(Instance(predicate, args), &Budget::default())
    };
    let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..arity {
        let longer = |order: &Vec<usize>| {
            let free = identity.iter().filter(|i| !order.contains(i));
            free.map(|i| order.iter().copied().chain([*i]).collect()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    let original = instance(&identity)?;
    let mut out = Vec::new();
    for order in orders {
        if instance(&order)? == original {
            out.push(order);
        }
    }
    Ok(out)
}
