//! Threads: the templates that the program creates, and how it names them.
//!
//! A `pthread_t` is a number. Single threads have theirs from 1 on, in the order of the places that
//! create them, and a variable each that says that they have ended, and one for what they give.
//! Where threads that are created in a loop are joined, they have the numbers behind, in the order
//! of their creation, and what is said of them is in arrays (`Numbers`).

pub(crate) mod free;

use crate::frontend::c::facts::{Facts, Known, ManyKey, Site};
use crate::frontend::c::memory::Memory;
use crate::frontend::c::steps::variable::Variable;
use crate::frontend::c::term::{add, int, store};
use crate::frontend::c::types::value::Value;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_format::{Op, Sort};

/// What a thread is created with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    Constant(Value),
    Left(Op, BigInt, BigInt),
}

/// A template to be made.
#[derive(Clone, Debug)]
pub(crate) struct Spawned {
    pub function: String,
    pub many: bool,
    /// The functions of the threads that led to its creation.
    pub chain: Vec<String>,
    /// Whether any number of them exist at once, once one has been created.
    pub free: bool,
    /// 1 once it has been created, or, of many threads that are not `free`, while one waits to
    /// start.
    pub created: Op,
    /// What is 1 once it has ended, and what takes its result; of a single thread.
    pub ended: Option<(Op, Op)>,
    /// Where one of many threads finds its number, if it has one.
    pub number: Option<Op>,
    /// The argument, if it is a constant, or where it is left.
    pub argument: Argument,
    /// The place of a creation, for errors.
    pub at: usize,
}

/// What is known of threads that are created in loops, by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    /// The number of the thread that was created last.
    pub last: Op,
    /// For each number 1 once the thread has ended.
    pub ended: Op,
    /// For each number what the thread has given.
    pub results: Op,
}

/// A creation of a thread.
pub(crate) struct Creation<'c> {
    pub function: &'c str,
    pub site: Site,
    /// Whether it is of a template of many threads.
    pub many: bool,
    /// The argument, and the range of all arguments that are known for this template.
    pub value: &'c Value,
    pub range: (BigInt, BigInt),
    /// The functions of the threads that led to it.
    pub chain: &'c [String],
    pub at: usize,
}

/// All threads but the first.
#[derive(Default)]
pub(crate) struct Threads {
    spawned: Vec<Spawned>,
    /// Templates of single threads.
    sites: BTreeMap<Site, usize>,
    /// Templates of many threads.
    many: BTreeMap<ManyKey, usize>,
    /// For each known site of a single thread what is 1 once it has ended, and what takes its
    /// result.
    ended: Vec<(Op, Op)>,
    numbers: Option<Numbers>,
    /// Variables that hand something over: written once, and only read by who has waited for it.
    handed: BTreeSet<Op>,
    /// Objects whose threads are created repeatedly, and have no numbers.
    repeated: BTreeSet<Option<usize>>,
    /// Objects that are joined; none for a thread's number that is in no known object.
    joined: BTreeSet<Option<usize>>,
    /// Whether the number of a thread is copied.
    copied: bool,
}

impl Threads {
    /// Makes the variables that say which threads have ended, and what they give.
    pub(crate) fn identities(&mut self, known: &Known, memory: &mut Memory) {
        for (i, name) in known.singles.values().enumerate() {
            let ended = memory.flag(format!("{name}_ended_{}", i + 1));
            let result = memory.flag(format!("{name}_gives_{}", i + 1));
            self.handed.extend([ended.clone(), result.clone()]);
            self.ended.push((ended, result));
        }
        if known.numbered {
            let init = Some(vec![BigInt::from(known.singles.len())]);
            let name = "threads_created".to_owned();
            let last = memory.global(Variable { name, sort: Sort::Int, init, range: None });
            let mut array = |name: &str| {
                let name = name.to_owned();
                memory.global(Variable { name, sort: Sort::IntArray, init: None, range: None })
            };
            let (ended, results) = (array("threads_ended"), array("threads_give"));
            self.numbers = Some(Numbers { last, ended, results });
        }
    }

    /// The threads in the order in which they have come up.
    pub(crate) fn spawned(&self) -> &[Spawned] {
        &self.spawned
    }

    /// Single threads that have an identity: what is 1 once each has ended, and what takes its
    /// result.
    pub(crate) fn ended(&self) -> &[(Op, Op)] {
        &self.ended
    }

    /// The variables of threads with numbers.
    pub(crate) fn numbers(&self) -> Option<&Numbers> {
        self.numbers.as_ref()
    }

    /// Variables that are written once, and only read by who has waited for it.
    pub(crate) fn handed(&self) -> &BTreeSet<Op> {
        &self.handed
    }

    /// Templates of many threads that are created with a constant.
    pub(crate) fn alike(&self) -> impl Iterator<Item = (&ManyKey, &Spawned)> {
        let constant = self.many.iter().filter(|(key, _)| key.1.is_some());
        constant.map(|(key, number)| (key, &self.spawned[*number]))
    }

    /// A thread without a number is created, and its `pthread_t` is in this object.
    pub(crate) fn is_repeated(&mut self, object: Option<usize>) {
        self.repeated.insert(object);
    }

    /// A thread whose `pthread_t` is in this object is joined.
    pub(crate) fn is_joined(&mut self, object: Option<usize>) {
        self.joined.insert(object);
    }

    /// The number of a thread is copied.
    pub(crate) fn is_copied(&mut self) {
        self.copied = true;
    }

    /// Whether it may be that a thread is joined that is created in a loop.
    pub(crate) fn joins_repeated(&self) -> bool {
        let (joined, repeated) = (&self.joined, &self.repeated);
        let unknown = self.copied || joined.contains(&None) || repeated.contains(&None);
        let both = joined.iter().any(|object| object.is_some() && repeated.contains(object));
        both || (unknown && !joined.is_empty() && !repeated.is_empty())
    }

    /// The number of the template of a creation, made if there is none yet.
    pub(crate) fn template(
        &mut self,
        creation: Creation,
        facts: &mut Facts,
        memory: &mut Memory,
    ) -> usize {
        let key = (creation.function.to_owned(), creation.value.as_constant().cloned());
        let known = match creation.many {
            true => self.many.get(&key),
            false => self.sites.get(&creation.site),
        };
        if let Some(number) = known {
            return *number;
        }
        let (many, site) = (creation.many, creation.site.clone());
        let spawned = self.spawn(creation, &key, facts, memory);
        self.spawned.push(spawned);
        let number = self.spawned.len() - 1;
        match many {
            true => self.many.insert(key, number),
            false => self.sites.insert(site, number),
        };
        number
    }

    /// A new template with its variables.
    fn spawn(
        &mut self,
        creation: Creation,
        key: &ManyKey,
        facts: &mut Facts,
        memory: &mut Memory,
    ) -> Spawned {
        let Creation { function, site, many, value, range, chain, at } = creation;
        let created = memory.flag(format!("{function}_created"));
        let argument = argument(function, value, range, memory);
        let mut chain = chain.to_vec();
        chain.push(function.to_owned());
        let (mut ended, mut number) = (None, None);
        if !many {
            self.handed.insert(created.clone());
            if let Argument::Left(op, ..) = &argument {
                self.handed.insert(op.clone());
            }
            let position = facts.known.singles.keys().position(|known| *known == site);
            ended = position.map(|i| self.ended[i].clone());
            facts.found.singles.insert(site, function.to_owned());
        } else if self.numbers.is_some() {
            number = Some(memory.flag(format!("{function}_number")));
        }
        let free = many && number.is_none() && facts.known.free.contains(key);
        let function = function.to_owned();
        Spawned { function, many, free, chain, created, ended, number, argument, at }
    }

    /// The number of a thread that is created, if it has one, and what this sets.
    pub(crate) fn identity(
        &self,
        spawned: &Spawned,
        site: &Site,
        known: &Known,
        set: &mut Vec<(Op, Vec<Op>)>,
    ) -> Option<Vec<Op>> {
        match (&spawned.number, &self.numbers) {
            (Some(number), Some(Numbers { last, ended, .. })) => {
                let next = add(std::slice::from_ref(last), &int(1));
                set.push((number.clone(), next.clone()));
                set.push((last.clone(), next.clone()));
                set.push((ended.clone(), store(ended.clone(), &next, &int(0))));
                Some(next)
            }
            _ if spawned.many => None,
            _ => {
                let position = known.singles.keys().position(|other| other == site);
                Some(int(position.map_or(0, |i| i + 1)))
            }
        }
    }
}

/// What takes the argument of a thread, in all ranges that are known of it.
fn argument(
    function: &str,
    value: &Value,
    (low, high): (BigInt, BigInt),
    memory: &mut Memory,
) -> Argument {
    if value.as_constant().is_some() {
        return Argument::Constant(value.clone());
    }
    let (name, init) = (format!("{function}_argument"), Some(vec![BigInt::from(0)]));
    let range = Some((low.clone().min(0.into()), high.clone().max(0.into())));
    let op = memory.global(Variable { name, sort: Sort::Int, init, range });
    Argument::Left(op, low, high)
}
