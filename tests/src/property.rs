//! Properties of random inputs: quickcheck runs them, shrinks what fails, and reports it. Each
//! input has a generator with a seed of its own, so that a seed says which it was.

use quickcheck::{Arbitrary, Gen, QuickCheck};
use std::any::Any;
use std::cell::RefCell;
use std::fmt::{self, Debug, Display, Formatter};
use std::ops::Range;
use std::rc::Rc;

/// The size of generators.
const SIZE: usize = 10;

/// The input with this seed.
pub fn input<T: Arbitrary>(seed: u64) -> T {
    T::arbitrary(&mut Gen::from_size_and_seed(SIZE, seed))
}

/// As many seeds as `THREADPROOF_RANDOM_PROGRAMS` says, or `inputs`, from `THREADPROOF_RANDOM_SEED`
/// on, or 1.
pub fn seeds(inputs: u64) -> Range<u64> {
    let first = from_environment("THREADPROOF_RANDOM_SEED").unwrap_or(1);
    first..first + many().unwrap_or(inputs)
}

/// How many inputs the environment asks for.
pub fn many() -> Option<u64> {
    from_environment("THREADPROOF_RANDOM_PROGRAMS")
}

/// A number from the environment.
///
/// # Panics
/// If it is no number.
pub fn from_environment(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// What a judge finds about the inputs with these seeds.
///
/// # Panics
/// If the judge objects to one, or panics: with its seed, and the smallest input found that it
/// objects to.
pub fn findings<T, F>(
    seeds: Range<u64>,
    judge: impl Fn(u64, &T) -> Result<F, String> + 'static,
) -> Vec<F>
where
    T: Arbitrary + Display,
    F: 'static,
{
    let judge = Rc::new(judge);
    let one = |seed| {
        // Shrunk inputs have findings too; the one of the input itself comes first.
        let (judge, found) = (judge.clone(), Rc::new(RefCell::new(None)));
        let first = found.clone();
        JUDGE.set(Some(Rc::new(move |input: &dyn Any| {
            let input = input.downcast_ref().expect("an input of this property");
            let finding = judge(seed, input).map_err(|why| format!("seed {seed}: {why}"))?;
            first.borrow_mut().get_or_insert(finding);
            Ok(())
        })));
        let quickcheck = QuickCheck::new().rng(Gen::from_size_and_seed(SIZE, seed));
        quickcheck.tests(1).max_tests(1).quickcheck(holds as fn(Shown<T>) -> Result<(), Objection>);
        found.take().expect("quickcheck ran the property")
    };
    seeds.map(one).collect()
}

thread_local! {
    /// The judge of the property that runs: quickcheck takes functions only, which capture nothing.
    static JUDGE: RefCell<Option<Rc<Judge>>> = const { RefCell::new(None) };
}

type Judge = dyn Fn(&dyn Any) -> Result<(), String>;

fn holds<T: 'static>(input: Shown<T>) -> Result<(), Objection> {
    let judge = JUDGE.with_borrow(Clone::clone).expect("a property runs");
    judge(&input.0).map_err(Objection)
}

/// An input, reported as its text.
#[derive(Clone)]
struct Shown<T>(T);

impl<T: Arbitrary> Arbitrary for Shown<T> {
    fn arbitrary(random: &mut Gen) -> Self {
        Shown(T::arbitrary(random))
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        Box::new(self.0.shrink().map(Shown))
    }
}

impl<T: Display> Debug for Shown<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}\n", self.0)
    }
}

/// What a judge says, reported as it is.
struct Objection(String);

impl Debug for Objection {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
