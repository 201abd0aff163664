//! Random input: nothing panics, a program is what its tokens say, and clauses and lemmas
//! hold where they should. Random numbers of a fixed seed, so each run is the same.

use quickcheck::{Arbitrary as _, Gen};
use std::panic::catch_unwind;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::core_form::{parse, statement};
use threadproof_checker::internals::obligation::ObligationId;
use threadproof_checker::internals::refute::clauses::ClausalForm;
use threadproof_checker::internals::refute::terms::{Array, Leaf, Value, Variable};
use threadproof_checker::internals::refute::{arrays, farkas};
use threadproof_checker::internals::scope::Scope;
use threadproof_format::proof::{Conclusion, Proof};
use threadproof_format::refutation::{Congruence, Farkas, Linear, Lit, Read};
use threadproof_format::{Cmp, Expr, Int, Op};
use threadproof_tests_trusted::introduction::{PROGRAM, certificate, proof};

/// Numbers below a bound, from one seed.
struct Random(Gen);

impl Random {
    fn new(seed: u64) -> Self {
        Random(Gen::from_size_and_seed(100, seed))
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(u32::arbitrary(&mut self.0)).unwrap() % bound
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// Words of the core form with more or less space, mostly in no sensible order.
fn spaced(words: &[&str], random: &mut Random) -> String {
    let spaces = [" ", "\n", "\t ", " // a comment\n", "\r\n"];
    words.iter().flat_map(|word| [*word, *random.pick(&spaces)]).collect()
}

#[test]
fn a_program_is_what_its_tokens_say() {
    let mut random = Random::new(1);
    let canonical = statement(PROGRAM).unwrap();
    let good: Vec<&str> = canonical.lines().collect();
    let mut read = 0;
    for round in 0..2000 {
        let mut words = good.clone();
        for _ in 0..round % 3 {
            let at = random.below(words.len());
            match random.below(3) {
                0 => drop(words.remove(at)),
                1 => words[at] = *random.pick(&good),
                _ => words.insert(at, *random.pick(&good)),
            }
        }
        let text = spaced(&words, &mut random);
        let tokens = statement(&text).unwrap();
        assert_eq!(tokens.lines().collect::<Vec<_>>(), words);
        let (one, other) = (parse(&text), parse(&tokens));
        assert_eq!(one.is_ok(), other.is_ok(), "{text}");
        if let (Ok(one), Ok(other)) = (one, other) {
            assert_eq!(one, other);
            read += 1;
        }
    }
    assert!(read > 600, "{read}");
}

#[test]
fn edited_bytes_never_panic_and_never_prove_anything_else() {
    let mut random = Random::new(2);
    let (_, digest) = parse(PROGRAM).unwrap();
    let bytes = certificate(PROGRAM, Proof::ProofSpace(proof()));
    assert!(threadproof_checker::check(PROGRAM, &bytes).is_ok());
    for _ in 0..4000 {
        let mut edited = bytes.clone();
        for _ in 0..=random.below(2) {
            let at = random.below(edited.len());
            match random.below(4) {
                0 => edited[at] = u8::arbitrary(&mut random.0),
                1 => edited[at] = edited[at].wrapping_add(1),
                2 => drop(edited.remove(at)),
                _ => edited.truncate(at.max(1)),
            }
        }
        let verdict = catch_unwind(|| threadproof_checker::check(PROGRAM, &edited));
        let verdict = verdict.expect("no panic");
        if let Ok(claim) = verdict {
            assert_eq!((claim.conclusion, claim.program), (Conclusion::Safe, digest));
        }
    }
}

/// Globals: integers 0 and 1, a truth value 2, arrays of integers 3 and of truth values 4.
const GLOBALS: &str = "core 1; global x: int; global y: int; global b: bool; \
                       global a: int[]; global c: bool[];";

fn integer(random: &mut Random, depth: usize) -> Vec<Op> {
    if depth == 0 || random.below(3) == 0 {
        let constant = i64::try_from(random.below(3)).unwrap() - 1;
        return vec![
            [Op::Global(0), Op::Global(1), Op::Int(constant.into())][random.below(3)].clone(),
        ];
    }
    let mut ops = integer(random, depth - 1);
    match random.below(6) {
        4 => ops.push(Op::Div(Int::from([2, 3, 4][random.below(3)]))),
        5 => ops.push(Op::Mod(Int::from([2, 3, 4][random.below(3)]))),
        0 => ops.push(Op::Scale(Int::from([2, -1, 0][random.below(3)]))),
        1 => {
            ops.extend(integer(random, depth - 1));
            ops.push(if random.below(2) == 0 { Op::Add } else { Op::Sub });
        }
        _ => ops = read(random, 3, depth),
    }
    ops
}

/// A read of an array, perhaps with writes.
fn read(random: &mut Random, array: u32, depth: usize) -> Vec<Op> {
    let mut ops = vec![Op::Global(array)];
    for _ in 0..random.below(3) {
        ops.extend(integer(random, depth - 1));
        ops.extend(if array == 3 {
            integer(random, depth - 1)
        } else {
            formula(random, depth - 1)
        });
        ops.push(Op::Store);
    }
    ops.extend(integer(random, depth - 1));
    ops.push(Op::Select);
    ops
}

fn formula(random: &mut Random, depth: usize) -> Vec<Op> {
    if depth == 0 {
        return [vec![Op::Global(2)], vec![Op::Bool(true)], vec![Op::Global(2), Op::Not]]
            [random.below(3)]
        .clone();
    }
    let binary = |random: &mut Random, op| {
        let mut ops = formula(random, depth - 1);
        ops.extend(formula(random, depth - 1));
        ops.push(op);
        ops
    };
    match random.below(8) {
        0 => binary(random, Op::And),
        1 => binary(random, Op::Or),
        2 => binary(random, Op::Cmp(Cmp::Eq)),
        3 => formula(random, depth - 1).into_iter().chain([Op::Not]).collect(),
        4 => read(random, 4, depth),
        _ => {
            let mut ops = integer(random, depth - 1);
            ops.extend(integer(random, depth - 1));
            let all = [Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge];
            ops.push(Op::Cmp(*random.pick(&all)));
            ops
        }
    }
}

/// A state: x, y, b, the arrays' values at -8 to 8 and elsewhere a default.
type Model = (i64, i64, bool, Vec<i64>, Vec<bool>);

#[derive(Clone, Debug)]
enum Datum {
    Int(i64),
    Bool(bool),
    Ints(Vec<(i64, i64)>, Vec<i64>),
    Bools(Vec<(i64, bool)>, Vec<bool>),
}

fn at<T: Copy>(writes: &[(i64, T)], base: &[T], index: i64) -> T {
    let written = writes.iter().rev().find(|(i, _)| *i == index);
    let place = usize::try_from(index.rem_euclid(2)).unwrap();
    written.map_or(base[place], |(_, value)| *value)
}

/// Evaluates in a way of its own: arrays are writes over a value for even and odd indexes.
fn value_of(expr: &Expr, model: &Model) -> Datum {
    use Datum::{Bool, Bools, Int, Ints};
    let mut stack: Vec<Datum> = Vec::new();
    for op in &expr.0 {
        let operands = stack.split_off(stack.len() - op.arity());
        stack.push(match (op, &operands[..]) {
            (Op::Int(i), _) => Int(i64::try_from(&i.0).unwrap()),
            (Op::Bool(b), _) => Bool(*b),
            (Op::Global(0), _) => Int(model.0),
            (Op::Global(1), _) => Int(model.1),
            (Op::Global(2), _) => Bool(model.2),
            (Op::Global(3), _) => Ints(vec![], model.3.clone()),
            (Op::Global(_), _) => Bools(vec![], model.4.clone()),
            (Op::Add, [Int(l), Int(r)]) => Int(l + r),
            (Op::Sub, [Int(l), Int(r)]) => Int(l - r),
            (Op::Scale(k), [Int(l)]) => Int(i64::try_from(&k.0).unwrap() * l),
            (Op::Div(k), [Int(l)]) => Int(l.div_euclid(i64::try_from(&k.0).unwrap())),
            (Op::Mod(k), [Int(l)]) => Int(l.rem_euclid(i64::try_from(&k.0).unwrap())),
            (Op::Select, [Ints(w, b), Int(i)]) => Int(at(w, b, *i)),
            (Op::Select, [Bools(w, b), Int(i)]) => Bool(at(w, b, *i)),
            (Op::Store, [Ints(w, b), Int(i), Int(v)]) => {
                Ints(w.iter().copied().chain([(*i, *v)]).collect(), b.clone())
            }
            (Op::Store, [Bools(w, b), Int(i), Bool(v)]) => {
                Bools(w.iter().copied().chain([(*i, *v)]).collect(), b.clone())
            }
            (Op::Cmp(c), [Int(l), Int(r)]) => Bool(c.holds(l, r)),
            (Op::Cmp(c), [Bool(l), Bool(r)]) => Bool(c.holds(l, r)),
            (Op::Not, [Bool(l)]) => Bool(!l),
            (Op::And, [Bool(l), Bool(r)]) => Bool(*l && *r),
            (Op::Or, [Bool(l), Bool(r)]) => Bool(*l || *r),
            other => panic!("{other:?}"),
        });
    }
    stack.pop().unwrap()
}

fn holds(formula: &Expr, model: &Model) -> bool {
    matches!(value_of(formula, model), Datum::Bool(true))
}

/// Small states: integers in -2..=2, arrays that differ at even and odd indexes.
fn models() -> Vec<Model> {
    let mut list = Vec::new();
    for x in -2..=2 {
        for y in -2..=2 {
            for code in 0..32 {
                let bit = |i: i64| code >> i & 1;
                let ints = vec![bit(1) - bit(2), bit(2)];
                list.push((x, y, bit(0) == 1, ints, vec![bit(3) == 1, bit(4) == 1]));
            }
        }
    }
    list
}

/// What the leaves, arrays and variables of a clausal form denote in a state (section 5).
struct Denotation<'a> {
    form: &'a ClausalForm,
    model: &'a Model,
}

impl Denotation<'_> {
    fn leaf(&self, number: u32) -> Datum {
        match &self.form.leaves()[usize::try_from(number).unwrap()] {
            Leaf::Variable(op) => value_of(&Expr(vec![op.clone()]), self.model),
            Leaf::Quotient(form, by) => {
                Datum::Int(self.linear(form).div_euclid(i64::try_from(&by.0).unwrap()))
            }
            Leaf::Read(array, index) => {
                let index = self.linear(index);
                match self.array(*array) {
                    Datum::Ints(writes, base) => Datum::Int(at(&writes, &base, index)),
                    Datum::Bools(writes, base) => Datum::Bool(at(&writes, &base, index)),
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    fn linear(&self, form: &Linear) -> i64 {
        let number = |i: &Int| i64::try_from(&i.0).unwrap();
        let term = |(leaf, factor): &(u32, Int)| match self.leaf(*leaf) {
            Datum::Int(value) => number(factor) * value,
            other => panic!("{other:?}"),
        };
        number(&form.constant) + form.terms.iter().map(term).sum::<i64>()
    }

    fn array(&self, number: u32) -> Datum {
        let (below, index, value) =
            match &self.form.array(number, &Budget::default()).unwrap().unwrap().0 {
                Array::Variable(op) => return value_of(&Expr(vec![op.clone()]), self.model),
                Array::Store(below, index, value) => (*below, self.linear(index), value),
            };
        match (self.array(below), value) {
            (Datum::Ints(mut writes, base), Value::Int(value)) => {
                writes.push((index, self.linear(value)));
                Datum::Ints(writes, base)
            }
            (Datum::Bools(mut writes, base), Value::Bool(value)) => {
                writes.push((index, self.literal(*value)));
                Datum::Bools(writes, base)
            }
            other => panic!("{other:?}"),
        }
    }

    fn literal(&self, lit: Lit) -> bool {
        let truth = match self.form.variable(lit, &Budget::default()).unwrap().unwrap() {
            Variable::True => true,
            Variable::AtMost(form) => self.linear(form) <= 0,
            Variable::Truth(leaf) => matches!(self.leaf(*leaf), Datum::Bool(true)),
            Variable::Both(one, other) => self.literal(*one) && self.literal(*other),
        };
        truth == (lit > 0)
    }

    fn clause(&self, clause: &[Lit]) -> bool {
        clause.iter().any(|lit| self.literal(*lit))
    }
}

/// The array lemmas of every leaf and pair of leaves.
fn array_lemmas(form: &mut ClausalForm) -> Vec<Vec<Lit>> {
    let budget = &Budget::default();
    let leaves = u32::try_from(form.leaves().len()).unwrap();
    let mut lemmas = Vec::new();
    for leaf in 0..leaves {
        for case in 0..4 {
            lemmas.push(arrays::read_hit(form, &Read { case, leaf }, budget));
            lemmas.push(arrays::read_miss(form, &Read { case, leaf }, budget));
            for right in leaf..leaves {
                let pair = Congruence { case, left: leaf, right };
                lemmas.push(arrays::congruence(form, &pair, budget));
            }
        }
    }
    lemmas.into_iter().filter_map(Result::ok).collect()
}

/// Random lemmas of linear arithmetic over atoms that there are, those that are accepted.
fn linear_lemmas(form: &ClausalForm, random: &mut Random) -> Vec<Vec<Lit>> {
    let variables = (1..).zip(form.variables());
    let atoms = variables.filter(|(_, v)| matches!(v, Variable::AtMost(_))).map(|(lit, _)| lit);
    let atoms: Vec<Lit> = atoms.collect();
    let mut lemmas = Vec::new();
    for _ in 0..if atoms.is_empty() { 0 } else { 40 } {
        let sign = |random: &mut Random| if random.below(2) == 0 { 1 } else { -1 };
        let count = 1 + random.below(3);
        let mut clause: Vec<Lit> =
            (0..count).map(|_| sign(random) * *random.pick(&atoms)).collect();
        clause.sort_unstable();
        clause.dedup();
        let length = u32::try_from(clause.len()).unwrap();
        let mut sums = Vec::new();
        // First a sum of some, which is rounded, then one of all.
        let mut factor = || Int::from([1, 1, 2, 3][random.below(4)]);
        if length > 1 && factor() == Int::from(1) {
            sums.push((0..length - 1).map(|i| (i, factor())).collect());
            sums.push(vec![(length - 1, factor()), (length, factor())]);
        } else {
            sums.push((0..length).map(|i| (i, factor())).collect());
        }
        let lemma = Farkas { clause, sums };
        if farkas::check(form, &lemma, &Budget::default()).is_ok() {
            lemmas.push(lemma.clause);
        }
    }
    lemmas
}

/// Where the formulas hold, all clauses of the clausal form do; and lemmas hold in every state.
/// So what is refuted by unit propagation has no model (sections 5.3, 6.2 and 6.3).
#[test]
fn clauses_and_lemmas_hold_in_every_small_state() {
    let mut random = Random::new(3);
    let (program, _) = parse(GLOBALS).unwrap();
    let models = models();
    let (mut met, mut of_arrays, mut of_numbers) = (0, 0, 0);
    for _ in 0..120 {
        let formulas: Vec<Expr> =
            (0..1 + random.below(2)).map(|_| Expr(formula(&mut random, 3))).collect();
        let scope = Scope { program: &program, threads: vec![], inputs: None };
        let o = scope
            .obligation(ObligationId::Triple(0), formulas.clone(), &Budget::default())
            .unwrap();
        let mut form = o.clausal_form(&Budget::default()).unwrap();
        let mut lemmas = array_lemmas(&mut form);
        of_arrays += lemmas.len();
        lemmas.extend(linear_lemmas(&form, &mut random));
        of_numbers += lemmas.len();
        for model in models.iter().skip(random.below(7)).step_by(7) {
            let denotation = Denotation { form: &form, model };
            for lemma in &lemmas {
                assert!(denotation.clause(lemma), "{lemma:?} of {formulas:?} in {model:?}");
            }
            if formulas.iter().all(|f| holds(f, model)) {
                met += 1;
                for clause in form.clauses() {
                    assert!(denotation.clause(clause), "{clause:?} of {formulas:?} in {model:?}");
                }
            }
        }
    }
    assert!(met > 1000 && of_arrays > 300 && of_numbers > of_arrays + 100);
}
