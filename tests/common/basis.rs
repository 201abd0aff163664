//! Proof spaces whose basis is given by hand, over a program of the corpus: predicates and triples
//! from printed commands, and Algorithm 1 on the checker's automaton.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::AtomicBool;
use threadproof_checker::check;
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::core_form;
use threadproof_checker::internals::obligation::Obligation;
use threadproof_checker::internals::proof_space::automaton::{Automaton, Successor};
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_format::program::{Program, Variable};
use threadproof_format::proof::proof_space::*;
use threadproof_format::proof::{Certificate, Proof, VERSION};
use threadproof_format::refutation::Refutation;
use threadproof_format::{Digest, Expr, Op, cbor};
use threadproof_producer::certify::obligations::obligations;
use threadproof_producer::certify::refute::{RefuteError, refute};
use threadproof_producer::frontend;

/// A program and predicates about it.
pub struct ByHand {
    core: String,
    pub program: Program,
    pub predicates: Vec<Predicate>,
}

/// Whether the obligation's formulas contradict each other.
pub fn refuted(obligation: &Obligation) -> bool {
    match refute(obligation, &AtomicBool::new(false)) {
        Ok(_) => true,
        Err(RefuteError::Satisfiable) => false,
        Err(e) => panic!("{}: {e}", obligation.id),
    }
}

fn place(list: &[Variable], name: &str) -> u32 {
    let at = list.iter().position(|v| v.name == name);
    u32::try_from(at.unwrap_or_else(|| panic!("no variable {name}"))).unwrap()
}

impl ByHand {
    /// A program of the corpus, without predicates.
    pub fn new(file: &str) -> Self {
        let source =
            std::fs::read_to_string(crate::common::root().join("corpus").join(file)).unwrap();
        let lowered = frontend::tp::lower(file, &source).unwrap();
        // A single template's thread must stay in a configuration, which `configuration` does not do.
        assert!(lowered.program.templates.iter().all(|t| t.is_many()));
        ByHand { core: lowered.core_form(), program: lowered.program, predicates: vec![] }
    }

    pub fn global(&self, name: &str) -> Op {
        Op::Global(place(&self.program.globals, name))
    }

    /// A local of the first template, at a position of a predicate.
    pub fn local(&self, position: u32, name: &str) -> Op {
        Op::Local(position, place(&self.program.templates[0].locals, name))
    }

    /// Adds a predicate about so many threads of the first template; gives its number.
    pub fn predicate(&mut self, arity: usize, formula: &[Op]) -> u32 {
        let formula = Expr(formula.to_vec());
        self.predicates.push(Predicate { formula, threads: vec![0; arity] });
        u32::try_from(self.predicates.len()).unwrap()
    }

    /// Template and number of the edge whose command is printed like this in the core form.
    fn edge(&self, command: &str) -> (u32, u32) {
        let mut found = Vec::new();
        let (mut templates, mut edges) = (0, 0);
        for line in self.core.lines().map(str::trim_start) {
            if line.starts_with("many ") || line.starts_with("one ") {
                (templates, edges) = (templates + 1, 0);
            } else if line.starts_with("edge ") {
                if line.contains(&format!("{{ {command} }}")) {
                    found.push((templates - 1, edges));
                }
                edges += 1;
            }
        }
        assert_eq!(found.len(), 1, "{command}:\n{}", self.core);
        found[0]
    }

    /// {pre} (command : thread 0) {post}; `acting` as in the format.
    pub fn triple(&self, pre: &[(u32, &[u32])], command: &str, post: u32, acting: u32) -> Triple {
        let mut pre: Vec<Instance> = pre.iter().map(|(p, t)| Instance(*p, t.to_vec())).collect();
        pre.sort();
        let (template, edge) = self.edge(command);
        Triple { pre, edge, post, acting, template, refutation: Refutation::default() }
    }

    /// The checker's reading of the predicates.
    pub fn known(&self) -> Predicates {
        Predicates::new(&self.program, &self.predicates, &Budget::default()).unwrap()
    }

    /// The predicates that the initial condition entails.
    fn initial(&self) -> Vec<u32> {
        let numbers = 1..=u32::try_from(self.predicates.len()).unwrap();
        numbers.filter(|p| self.holds_initially(*p)).collect()
    }

    fn holds_initially(&self, predicate: u32) -> bool {
        let initial = InitialPredicate { predicate, refutation: Refutation::default() };
        let proof = ProofSpace {
            initial: vec![initial],
            predicates: self.predicates.clone(),
            ..ProofSpace::default()
        };
        let budget = Budget::default();
        let list = obligations(&self.program, &self.known(), &proof, &budget).unwrap();
        refuted(&list[0])
    }

    /// Algorithm 1: the closed configurations, or `None` if there is a trace without a proof.
    pub fn close(&self, basis: &[Triple]) -> Option<Vec<Configuration>> {
        let initial = self.initial();
        let budget = Budget::default();
        let predicates = self.known();
        let basis = basis.to_vec();
        let automaton = Automaton::new(&self.program, &predicates, &basis, &budget).unwrap();
        let roots = automaton.roots(&budget).unwrap();
        let mut worklist: VecDeque<Configuration> = roots.clone().into();
        let mut closed: Vec<Configuration> = Vec::new();
        while let Some(c) = worklist.pop_front() {
            if covers(&automaton, &closed, &c) {
                continue;
            }
            let starts = c.threads.iter().all(|slot| slot.1.is_none_or(|l| l == 0));
            if starts && !c.negated.iter().any(|i| initial.contains(&i.0)) {
                return None;
            }
            for step in automaton.steps(&c, &budget).unwrap() {
                let mut next = automaton.successor(&c, &step, &budget).unwrap();
                if !next.propagate(&mut vec![], &budget).unwrap() {
                    worklist.extend(cubes(&next));
                }
            }
            closed.push(c);
        }
        Some(closed.split_off(roots.len()))
    }

    /// A proof space without hints and refutations.
    pub fn draft(&self, basis: Vec<Triple>, configurations: Vec<Configuration>) -> ProofSpace {
        let holds = |predicate| InitialPredicate { predicate, refutation: Refutation::default() };
        let initial = self.initial().into_iter().map(holds).collect();
        let predicates = self.predicates.clone();
        let (error_steps, impossible, witness) = (vec![], vec![], None);
        ProofSpace { basis, initial, witness, impossible, predicates, error_steps, configurations }
    }

    /// What the checker says of a certificate with this proof.
    pub fn verdict(&self, proof: ProofSpace) -> Result<(), Reason> {
        let statement = core_form::statement(&self.core).unwrap();
        let program = Digest::of([statement.as_bytes()]);
        let proof = Proof::ProofSpace(proof);
        let bytes = cbor::encode(&Certificate {
            proof,
            layers: vec![],
            program,
            version: VERSION,
            statement,
        });
        check(&self.core, &bytes.unwrap()).map(drop).map_err(|failure| failure.reason)
    }
}

/// The cubes of a successor: of each clause that is open, one instance does not hold. Threads at
/// the initial location without a predicate are left out.
fn cubes(next: &Successor) -> Vec<Configuration> {
    let mut sets = vec![next.negated.clone()];
    for (_, clause) in &next.clauses {
        let longer = |set: &HashSet<Instance>| {
            if clause.iter().any(|i| set.contains(i)) {
                return vec![set.clone()];
            }
            let with = |i: &Instance| set.iter().chain([i]).cloned().collect();
            clause.iter().map(with).collect()
        };
        sets = sets.iter().flat_map(longer).collect();
    }
    sets.into_iter().map(|set| configuration(&next.threads, set)).collect()
}

fn configuration(threads: &[Slot], negated: HashSet<Instance>) -> Configuration {
    let mut negated: Vec<Instance> = negated.into_iter().filter(|i| i.0 != 0).collect();
    let kept: Vec<u32> = (0..)
        .zip(threads)
        .filter(|(s, slot)| {
            slot.1.is_some_and(|l| l != 0) || negated.iter().any(|i| i.1.contains(s))
        })
        .map(|(s, _)| s)
        .collect();
    let renamed = |s: &u32| u32::try_from(kept.iter().position(|k| k == s).unwrap()).unwrap();
    for instance in &mut negated {
        instance.1 = instance.1.iter().map(renamed).collect();
    }
    negated.sort();
    let threads = kept.iter().map(|s| threads[usize::try_from(*s).unwrap()]).collect();
    Configuration { steps: vec![], negated, threads }
}

/// Whether a closed configuration embeds into this one (Definition 6.6).
fn covers(automaton: &Automaton<'_>, closed: &[Configuration], c: &Configuration) -> bool {
    closed.iter().any(|target| {
        let mut maps: Vec<Vec<u32>> = vec![vec![]];
        for slot in &target.threads {
            let fits = |to: &Slot| to.0 == slot.0 && (slot.1.is_none() || slot.1 == to.1);
            let longer = |map: &Vec<u32>| {
                let free = (0..).zip(&c.threads).filter(|(i, to)| fits(to) && !map.contains(i));
                free.map(|(i, _)| [map.as_slice(), &[i]].concat()).collect::<Vec<_>>()
            };
            maps = maps.iter().flat_map(longer).collect();
        }
        maps.iter().any(|map| {
            target.negated.iter().all(|instance| {
                let image = automaton.map(instance, map, &Budget::default()).unwrap();
                c.negated.contains(&image)
            })
        })
    })
}
