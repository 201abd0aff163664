//! Proofs that count threads, by hand: predicates, triples, configurations and impossible
//! configurations as text; hints and refutations are completed by the producer.

use threadproof_checker::internals::core_form;
use threadproof_format::program::{Edge, Program};
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread, Value};
use threadproof_format::proof::proof_space::*;
use threadproof_format::proof::{Certificate, Proof, VERSION};
use threadproof_format::refutation::Refutation;
use threadproof_format::{Expr, Op, Sort, cbor};
use threadproof_producer::certify::hints::complete;
use threadproof_producer::control::Control;
use threadproof_producer::logic::rewrite::Rewrite as _;

/// A program and a proof about it.
pub struct Counting {
    pub name: &'static str,
    pub core: &'static str,
    pub program: Program,
    pub proof: ProofSpace,
}

/// Certificates that count: name, program, bytes.
pub fn certificates() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let proofs = proofs().into_iter().map(|p| (p.name, p.core, Proof::ProofSpace(p.proof)));
    let runs = counterexamples().into_iter();
    let runs = runs.map(|(name, core, run)| (name, core, Proof::Counterexample(run)));
    proofs.chain(runs).map(|(name, core, proof)| (name, core, certificate(core, proof))).collect()
}

/// The certificate's bytes.
pub fn certificate(core: &str, proof: Proof) -> Vec<u8> {
    let (_, program) = core_form::parse(core).expect("a program");
    let statement = core_form::statement(core).expect("a program");
    cbor::encode(&Certificate { proof, layers: vec![], program, version: VERSION, statement })
        .expect("bytes")
}

/// The proofs, complete.
pub fn proofs() -> Vec<Counting> {
    type Fill = fn(&mut Draft);
    let drafts: [(&str, &str, Fill); 4] = [
        ("capacity", CAPACITY, capacity),
        ("readers", READERS, readers),
        ("tickets", TICKETS, tickets),
        ("inside", INSIDE, inside),
    ];
    let completed = drafts.into_iter().map(|(name, core, fill)| {
        let mut draft = Draft::new(core);
        fill(&mut draft);
        let proof = complete(&draft.program, draft.proof, &Control::default());
        let proof = proof.unwrap_or_else(|e| panic!("{name}: {e}"));
        Counting { name, core, program: draft.program, proof }
    });
    let mut list: Vec<Counting> = completed.collect();
    list.push(by_cases(&list[3]));
    list
}

/// A thread goes in when nobody is there, and x is 1 while one is in the middle.
pub const CAPACITY: &str = "core 1;
global x: int;
many t {
    location outside;
    location inside;
    location middle;
    location wrong error;
    edge outside -> inside { when #t.inside + #t.middle == 0; }
    edge inside -> middle { x := 1; }
    edge middle -> outside { x := 0; }
    edge middle -> wrong { when x != 1; }
}
";

/// The guard counts, an edge that keeps a sum is a frame, and two threads in the middle count.
fn capacity(p: &mut Draft) {
    let one = p.predicate(&[], "x == 1");
    let few = p.predicate(&[], "#t.inside + #t.middle <= 1");
    let two = p.predicate(&[], "#t.middle >= 2");
    p.triple(&[(one, &[])], "t.middle -> wrong", 0, 0);
    p.triple(&[], "t.inside -> middle", one, 0);
    p.triple(&[(few, &[]), (two, &[])], "t.middle -> outside", one, 0);
    p.triple(&[], "t.outside -> inside", few, 0);
    p.triple(&[(few, &[])], "t.middle -> outside", few, 0);
    p.configuration(&["t.middle"], &[(one, &[])]);
    p.configuration(&[], &[(few, &[])]);
    p.impossible(&["t.middle", "t.middle"], &[(two, &[])]);
    p.initial(few);
}

/// A writer works while nobody reads, and the other way round.
const READERS: &str = "core 1;
one writer {
    location idle;
    location busy;
    location torn error;
    edge idle -> busy { when #reader.reading == 0; }
    edge busy -> idle {}
    edge busy -> torn { when #reader.reading + #writer.busy >= 2; }
}
many reader {
    local c: int;
    location out;
    location reading;
    location wrong error;
    location odd error;
    edge out -> reading { when #writer.busy == 0; c := #writer.idle + #writer.busy; }
    edge reading -> out {}
    edge reading -> reading {}
    edge reading -> wrong { when #writer.idle == 0; }
    edge reading -> odd { when c != #writer.busy + #writer.idle; }
}
";

/// The counters of the single template add up to 1.
fn readers(p: &mut Draft) {
    let either = p.predicate(&[], "#writer.busy <= 0 || #reader.reading <= 0");
    let busy = p.predicate(&[], "#writer.busy >= 1");
    let idle = p.predicate(&[], "#writer.idle >= 1");
    p.triple(&[(either, &[]), (busy, &[])], "writer.busy -> torn", 0, 0);
    p.triple(&[(idle, &[])], "reader.reading -> wrong", 0, 0);
    p.triple(&[], "writer.idle -> busy", either, 0);
    p.triple(&[], "writer.busy -> idle", either, 0);
    p.triple(&[], "reader.out -> reading", either, 0);
    p.triple(&[(either, &[])], "reader.reading -> out", either, 0);
    p.triple(&[], "reader.out -> reading", idle, 0);
    p.triple(&[], "writer.busy -> idle", idle, 0);
    let read = p.predicate(&[], "#reader.reading >= 1");
    p.triple(&[(read, &[])], "writer.idle -> busy", idle, 0);
    let sum = p.predicate(&["reader"], "c_0 == #writer.idle + #writer.busy");
    p.triple(&[(sum, &[0])], "reader.reading -> odd", 0, 0);
    p.triple(&[], "reader.out -> reading", sum, 1);
    p.configuration(&[], &[(either, &[])]);
    p.configuration(&["reader.reading"], &[(idle, &[])]);
    p.configuration(&["reader.reading"], &[(sum, &[0])]);
    p.impossible(&["writer.busy"], &[(busy, &[])]);
    p.impossible(&["reader.reading"], &[(read, &[])]);
    p.initial(either);
    p.initial(idle);
}

/// A thread's ticket is the number of those before it, so no two are the same.
const TICKETS: &str = "core 1;
global taken: bool;
global mark: int;
init !taken;
many t {
    local c: int;
    location start;
    location holding;
    location marked;
    location wrong error;
    edge start -> holding { c := #t.holding + #t.marked; }
    edge holding -> marked { when !taken; taken := true, mark := c; }
    edge holding -> wrong { when taken && mark == c; }
}
";

/// Updates count, and predicates are about several threads.
fn tickets(p: &mut Draft) {
    let below = p.predicate(&["t"], "c_0 < #t.holding + #t.marked");
    let differ = p.predicate(&["t", "t"], "c_0 != c_1");
    let other = p.predicate(&["t"], "!taken || mark != c_0");
    let old = p.predicate(&[], "!taken || mark < #t.holding + #t.marked");
    p.triple(&[(other, &[0])], "t.holding -> wrong", 0, 0);
    p.triple(&[(old, &[])], "t.start -> holding", other, 1);
    p.triple(&[(differ, &[0, 1])], "t.holding -> marked", other, 0);
    p.triple(&[], "t.start -> holding", below, 1);
    p.triple(&[(below, &[1])], "t.start -> holding", below, 0);
    p.triple(&[(below, &[1])], "t.start -> holding", differ, 1);
    p.triple(&[(old, &[])], "t.start -> holding", old, 0);
    p.triple(&[(below, &[0])], "t.holding -> marked", old, 0);
    p.configuration(&["t.holding"], &[(other, &[0])]);
    p.configuration(&["t.holding", "t.holding"], &[(differ, &[0, 1])]);
    p.configuration(&["t.holding"], &[(below, &[0])]);
    p.configuration(&[], &[(old, &[])]);
    p.initial(old);
}

/// n is the number of threads at two locations.
pub const INSIDE: &str = "core 1;
global n: int;
init n == 0;
many t {
    location outside;
    location first;
    location second;
    location wrong error;
    edge outside -> first { n := n + 1; }
    edge first -> second {}
    edge second -> outside { n := n - 1; }
    edge second -> wrong { when n < #t.second; }
    edge wrong -> outside { n := n - 5; }
}
";

/// A ghost variable that follows counters.
fn inside(p: &mut Draft) {
    let all = p.predicate(&[], "n >= #t.first + #t.second");
    p.triple(&[(all, &[])], "t.outside -> first", all, 0);
    p.triple(&[(all, &[])], "t.second -> outside", all, 0);
    p.triple(&[(all, &[])], "t.second -> wrong", 0, 0);
    p.configuration(&[], &[(all, &[])]);
    p.initial(all);
}

/// The proof `inside` with a split on a predicate and its negation, one of which holds.
fn by_cases(inside: &Counting) -> Counting {
    let mut proof = inside.proof.clone();
    let not = proof.predicates[0].formula.clone().negate();
    proof.predicates.push(Predicate { formula: not, threads: vec![] });
    let instance = |p| Instance(p, vec![]);
    proof.impossible.push(Impossible {
        negated: vec![instance(1), instance(2)],
        threads: vec![],
        refutation: Refutation::default(),
    });
    let impossible = u32::try_from(proof.configurations.len()).expect("few");
    let hints =
        vec![Hint::Split(instance(2)), Hint::Embed(impossible, vec![]), Hint::Embed(0, vec![])];
    proof.error_steps = vec![StepHints(hints)];
    refute_impossible(&inside.program, &mut proof);
    let program = inside.program.clone();
    Counting { name: "inside_by_cases", core: inside.core, program, proof }
}

/// Refutes the last obligation, that of the last impossible configuration.
pub fn refute_impossible(program: &Program, proof: &mut ProofSpace) {
    use threadproof_checker::error::Budget;
    use threadproof_checker::internals::proof_space::predicates::Predicates;
    use threadproof_producer::certify::obligations::obligations;
    let budget = Budget::default();
    let known = Predicates::new(program, &proof.predicates, &budget).expect("predicates");
    let list = obligations(program, &known, proof, &budget).expect("obligations");
    let last = list.last().expect("an obligation");
    let refutation = threadproof_producer::certify::refute::refute(
        last,
        &std::sync::atomic::AtomicBool::new(false),
    );
    proof.impossible.last_mut().expect("one").refutation = refutation.expect("a contradiction");
}

/// Wrong if two threads go in before the single thread moves, and one after it.
const WRONG: &str = "core 1;
global most: int;
init most == 0;
many t {
    location outside;
    location inside;
    location wrong error;
    edge outside -> inside { input extra: int; when extra <= #s.first; most := #t.inside + extra; }
    edge inside -> wrong { when #t.inside == 3 - #s.first && #s.last <= #s.second && most >= 2; }
}
one s {
    location first;
    location second;
    location last;
    edge first -> second {}
}
";

/// Executions of a program whose guards and updates count, with the single thread and without it.
/// Counterexamples that count: name, program, execution.
pub fn counterexamples() -> [(&'static str, &'static str, Counterexample); 2] {
    let thread = |template| Thread { locals: vec![], template };
    let run = |threads: &[u32], moves: &[(u32, u32, Option<i64>)]| Counterexample {
        start: State {
            globals: vec![Value::Int(0.into())],
            threads: threads.iter().copied().map(thread).collect(),
        },
        schedule: moves
            .iter()
            .map(|(thread, edge, input)| Move {
                edge: *edge,
                inputs: input.iter().map(|i| Value::Int((*i).into())).collect(),
                thread: *thread,
            })
            .collect(),
    };
    let without = [(0, 0, Some(0)), (1, 0, Some(1)), (0, 1, None)];
    let with = [(0, 0, Some(0)), (1, 0, Some(1)), (3, 0, None), (2, 0, Some(0)), (1, 1, None)];
    [
        ("single_waits", WRONG, run(&[0, 0], &without)),
        ("single_moves", WRONG, run(&[0, 0, 0, 1], &with)),
    ]
}

/// A proof without hints and refutations.
pub struct Draft {
    core: String,
    pub program: Program,
    pub proof: ProofSpace,
}

type Instances<'a> = [(u32, &'a [u32])];

fn instances(list: &Instances<'_>) -> Vec<Instance> {
    let mut list: Vec<Instance> = list.iter().map(|(p, t)| Instance(*p, t.to_vec())).collect();
    list.sort();
    list
}

impl Draft {
    /// A program without a proof.
    pub fn new(core: &str) -> Self {
        let (program, _) = core_form::parse(core).expect("a program");
        let proof = ProofSpace::default();
        Draft { core: core.to_owned(), program, proof }
    }

    fn template(&self, name: &str) -> u32 {
        let at = self.program.templates.iter().position(|t| t.name == name);
        u32::try_from(at.unwrap_or_else(|| panic!("no template {name}"))).expect("few")
    }

    fn location(&self, template: u32, name: &str) -> u32 {
        let locations = &self.program.templates[usize::try_from(template).expect("few")].locations;
        let at = locations.iter().position(|l| l.name == name);
        u32::try_from(at.unwrap_or_else(|| panic!("no location {name}"))).expect("few")
    }

    /// A formula of the core form; the local c at position 0 is called c_0.
    pub fn formula(&self, threads: &[u32], text: &str) -> Expr {
        let (mut inputs, mut locals) = (String::new(), Vec::new());
        for (position, template) in (0..).zip(threads) {
            let own = &self.program.templates[usize::try_from(*template).expect("few")].locals;
            for (k, local) in (0..).zip(own) {
                assert_eq!(local.sort, Sort::Int);
                inputs += &format!("input {}_{position}: int;", local.name);
                locals.push(Op::Local(position, k));
            }
        }
        let start = &self.program.templates.last().expect("a template").locations[0].name;
        let edge = format!("edge {start} -> {start} {{ {inputs} when {text}; }} }}");
        let end = self.core.rfind('}').expect("a template");
        let core = format!("{}{edge}", &self.core[..end]);
        let (program, _) = core_form::parse(&core).unwrap_or_else(|e| panic!("{text}: {e}"));
        let mut edge = program.templates.into_iter().flat_map(|t| t.edges).last().expect("one");
        for op in &mut edge.guard.0 {
            if let Op::Input(i) = op {
                *op = locals[usize::try_from(*i).expect("few")].clone();
            }
        }
        edge.guard
    }

    /// Adds a predicate about threads of these templates; gives its number.
    pub fn predicate(&mut self, threads: &[&str], text: &str) -> u32 {
        let threads: Vec<u32> = threads.iter().map(|t| self.template(t)).collect();
        let formula = self.formula(&threads, text);
        self.proof.predicates.push(Predicate { formula, threads });
        u32::try_from(self.proof.predicates.len()).expect("few")
    }

    /// Adds {pre} (edge : thread 0) {post}; the edge is written `template.source -> target`.
    pub fn triple(&mut self, pre: &Instances<'_>, edge: &str, post: u32, acting: u32) {
        let (template, edge) = self.edge(edge);
        let (pre, refutation) = (instances(pre), Refutation::default());
        self.proof.basis.push(Triple { pre, edge, post, acting, template, refutation });
    }

    fn edge(&self, text: &str) -> (u32, u32) {
        let (from, to) = text.split_once(" -> ").expect("an edge");
        let Slot(template, source) = self.slot(from);
        let target = self.location(template, to);
        let edges = &self.program.templates[usize::try_from(template).expect("few")].edges;
        let wanted = |e: &&Edge| Some(e.source) == source && e.target == target;
        assert_eq!(edges.iter().filter(wanted).count(), 1, "{text}");
        let at = edges.iter().position(|e| wanted(&e)).expect("it is one");
        (template, u32::try_from(at).expect("few"))
    }

    /// A slot at a location, written `template.location`.
    fn slot(&self, text: &str) -> Slot {
        let (template, location) = text.split_once('.').expect("a place");
        let template = self.template(template);
        Slot(template, Some(self.location(template, location)))
    }

    pub fn configuration(&mut self, slots: &[&str], negated: &Instances<'_>) {
        let threads = slots.iter().map(|s| self.slot(s)).collect();
        let negated = instances(negated);
        self.proof.configurations.push(Configuration { steps: vec![], negated, threads });
    }

    pub fn impossible(&mut self, slots: &[&str], negated: &Instances<'_>) {
        let threads = slots.iter().map(|s| self.slot(s)).collect();
        let (negated, refutation) = (instances(negated), Refutation::default());
        self.proof.impossible.push(Impossible { negated, threads, refutation });
    }

    pub fn initial(&mut self, predicate: u32) {
        let refutation = Refutation::default();
        self.proof.initial.push(InitialPredicate { predicate, refutation });
    }
}
