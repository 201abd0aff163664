//! Values for what is still open when a formula is evaluated: inputs, and variables of the start
//! that nothing has read before.
//!
//! One unknown is looked at at a time. Each integer is evaluated as a linear form in it, so each
//! comparison says where its truth changes; these values and their neighbours stand for all, as far
//! as this formula is concerned. Others come from the program's constants and the state.

use super::code::{Base, Missing};
use super::evaluate::{Evaluation, Pick, Problem, Unknown, truth};
use super::state::{State, UNSET};

/// How values are chosen.
pub enum Choice<'r> {
    /// All critical values, and so many others.
    All(usize),
    /// At random.
    Random(&'r mut fastrand::Rng),
}

/// How many evaluations one problem may take.
const EVALUATIONS: usize = 400;
/// The same for a random choice, which can be tried again.
const RANDOM_EVALUATIONS: usize = 40;
/// How many values a random choice tries for an unknown.
const RANDOM_VALUES: usize = 8;

/// A solution: what was chosen, and the new values, numbers first, then index and value of each
/// write.
pub type Found<'f> = &'f mut dyn FnMut(&[Pick], &[i64]) -> bool;

impl Problem<'_> {
    /// Tells solutions until there are no more, or `found` says that it is enough.
    pub fn solve(&self, choice: &mut Choice, found: Found) -> Effort {
        let mut all = true;
        let most = match choice {
            Choice::All(_) => EVALUATIONS,
            Choice::Random(_) => RANDOM_EVALUATIONS,
        };
        let mut left = most;
        // Chosen values, and for each unknown those that are still to be tried.
        let mut picks: Vec<Pick> = Vec::new();
        let mut todo: Vec<Vec<i64>> = Vec::new();
        loop {
            left = left.saturating_sub(1);
            match self.evaluate(&picks) {
                Ok(Progress::Done(values)) => {
                    if !found(&picks, &values) {
                        return Effort { evaluations: most - left, all: false };
                    }
                }
                Ok(Progress::Open(met)) if left > 0 => {
                    let (unknown, focus) = self.focus(&picks, &met, &mut left);
                    all &= self.is_truth(unknown) || matches!(focus, Focus::Only(_));
                    let mut values = match focus {
                        Focus::Only(values) => values,
                        Focus::Critical(critical) => self.values(unknown, &critical, choice),
                    };
                    // The first one is tried first.
                    values.reverse();
                    todo.push(values);
                    picks.push(Pick { unknown, value: 0 });
                }
                Ok(Progress::Open(_) | Progress::Wrong) | Err(_) => {}
            }
            // The next value of the last unknown that has one.
            loop {
                let Some(values) = todo.last_mut() else {
                    let all = all && left > 0;
                    return Effort { evaluations: most - left, all };
                };
                match values.pop() {
                    Some(value) if left > 0 => {
                        picks.last_mut().expect("an unknown").value = value;
                        break;
                    }
                    _ => {
                        todo.pop();
                        picks.pop();
                    }
                }
            }
        }
    }

    /// The new values with what was chosen, if the guard holds.
    pub fn values_with(&self, picks: &[Pick]) -> Option<Vec<i64>> {
        match self.evaluate(picks) {
            Ok(Progress::Done(values)) => Some(values),
            _ => None,
        }
    }

    /// Whether the guard holds, and the new values, with what is chosen.
    fn evaluate(&self, picks: &[Pick]) -> Result<Progress, Missing> {
        let mut evaluation = Evaluation::new(self, picks, None);
        let holds = truth(evaluation.value(self.guard)?.known());
        match holds {
            Some(false) => return Ok(Progress::Wrong),
            None => return Ok(Progress::Open(evaluation.met)),
            Some(true) => evaluation.met.clear(),
        }
        for (_, code) in self.numbers {
            evaluation.run(code)?;
        }
        for (_, array) in self.arrays {
            evaluation.run(&array.code)?;
            if let Base::Input(number) = array.base {
                evaluation.look(Unknown::Input(number));
            }
        }
        let values: Option<Vec<i64>> = evaluation.stack.iter().map(|v| v.known()).collect();
        Ok(match values {
            Some(values) if evaluation.met.is_empty() => Progress::Done(values),
            _ => Progress::Open(evaluation.met),
        })
    }

    /// The unknown to choose a value for: one that can have a single value only; or one of which
    /// comparisons say where they change; or the first one.
    fn focus(&self, picks: &[Pick], met: &[Unknown], left: &mut usize) -> (Unknown, Focus) {
        let mut best = None;
        for unknown in met {
            *left = left.saturating_sub(1);
            let mut evaluation = Evaluation::new(self, picks, Some(*unknown));
            if evaluation.value(self.guard).is_err() || evaluation.critical.is_empty() {
                continue;
            }
            let Evaluation { critical, compared, .. } = evaluation;
            if let Some(values) = self.only(picks, *unknown, &critical, left).filter(|_| compared) {
                return (*unknown, Focus::Only(values));
            }
            best.get_or_insert((*unknown, Focus::Critical(critical)));
        }
        best.unwrap_or((met[0], Focus::Critical(Vec::new())))
    }

    /// The values for an unknown with which the guard may hold, if these are all: if it does not
    /// hold with the values on both sides of each.
    fn only(
        &self,
        picks: &[Pick],
        unknown: Unknown,
        critical: &[i64],
        left: &mut usize,
    ) -> Option<Vec<i64>> {
        let (mut possible, mut wrong) = (Vec::new(), Vec::new());
        let mut picks = picks.to_vec();
        picks.push(Pick { unknown, value: 0 });
        for value in critical {
            *left = left.saturating_sub(1);
            picks.last_mut()?.value = *value;
            let evaluation = Evaluation::new(self, &picks, None).value(self.guard);
            match truth(evaluation.ok()?.known()) {
                Some(false) => wrong.push(*value),
                _ => possible.push(*value),
            }
        }
        let beside = |value: &i64| {
            let sides = [value.checked_sub(1), value.checked_add(1)];
            sides.into_iter().all(|side| side.is_some_and(|side| wrong.contains(&side)))
        };
        possible.iter().all(beside).then_some(possible)
    }

    /// The values to try for an unknown, in order.
    fn values(&self, unknown: Unknown, critical: &[i64], choice: &mut Choice) -> Vec<i64> {
        match (self.is_truth(unknown), choice) {
            (true, Choice::All(_)) => vec![0, 1],
            (true, Choice::Random(random)) => {
                let first = random.i64(0..2);
                vec![first, 1 - first]
            }
            (false, Choice::All(most)) => {
                let mut all = critical.to_vec();
                let others = self.machine.constants.iter().copied().chain(self.near());
                for value in others {
                    if all.len() >= critical.len() + *most {
                        break;
                    }
                    if !all.contains(&value) {
                        all.push(value);
                    }
                }
                all
            }
            (false, Choice::Random(random)) => self.random_values(critical, random),
        }
    }

    fn random_values(&self, critical: &[i64], random: &mut fastrand::Rng) -> Vec<i64> {
        let mut all = critical.to_vec();
        random.shuffle(&mut all);
        all.truncate(RANDOM_VALUES);
        let near: Vec<i64> = self.near().collect();
        let mut others: Vec<i64> = (0..RANDOM_VALUES / 2)
            .map(|_| match random.u8(0..4) {
                0 | 1 => random.choice(&self.machine.constants).copied().unwrap_or(0),
                2 => random.choice(&near).copied().unwrap_or(1),
                _ => random.i64(-4..=8),
            })
            .collect();
        if random.u8(0..4) == 0 {
            others.append(&mut all);
            return others;
        }
        all.append(&mut others);
        all
    }

    /// The values of the state's integers and their neighbours.
    fn near(&self) -> impl Iterator<Item = i64> {
        let State { numbers, .. } = self.frame.state;
        let set = numbers.iter().copied().filter(|value| *value != UNSET && *value != UNSET + 1);
        set.flat_map(|v| [Some(v), v.checked_add(1), v.checked_sub(1)]).flatten()
    }
}

/// What is known of an unknown.
enum Focus {
    /// The guard can hold with these values only.
    Only(Vec<i64>),
    /// Where comparisons change.
    Critical(Vec<i64>),
}

/// What the search for solutions took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How often the guard was evaluated.
    pub evaluations: usize,
    /// Whether all solutions were told.
    pub all: bool,
}

/// What is known with some values chosen.
enum Progress {
    /// The guard does not hold.
    Wrong,
    /// It depends on these, or a new value does.
    Open(Vec<Unknown>),
    /// It holds, and these are the new values.
    Done(Vec<i64>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::explore::code::Place;
    use crate::engine::explore::machine::tests::compiled;

    /// The choices for the only edge of a thread with a local `n`, with globals `g`, `h`, `a` and
    /// `b`, of which g is 10, a is 7 at 3 and all else is open.
    fn solutions(
        inputs: &str,
        guard: &str,
        updates: &str,
        choice: &mut Choice,
    ) -> (Vec<Vec<Pick>>, bool) {
        let (_, machine) = compiled(&format!(
            "core 1; global g: int; global h: int; global a: int[]; global b: bool;
             many t {{ local n: int; location x; location y error;
             edge x -> y {{ {inputs} when {guard}; {updates} }} }}"
        ));
        let shape = machine.shape(&[1]);
        let mut state = machine.open(&shape);
        state.numbers[0] = 10;
        state.arrays[0].set(3, 7);
        let mut all = Vec::new();
        let effort = machine.explore((&state, &shape), 0, 0, choice, &mut |picks, _| {
            all.push(picks.to_vec());
            true
        });
        (all, effort.all)
    }

    fn input(number: usize, value: i64) -> Pick {
        Pick { unknown: Unknown::Input(number), value }
    }

    #[test]
    fn an_input_that_a_guard_determines_has_one_value() {
        let one = |guard: &str| solutions("input i: int;", guard, "", &mut Choice::All(3));
        assert_eq!(one("3 * i == g + 2"), (vec![vec![input(0, 4)]], true));
        assert_eq!(one("g == 3 * i"), (vec![], true));
        let two = [vec![input(0, -7)], vec![input(0, 5)]];
        assert_eq!(one("i == -7 || g == 2 * i"), (two.to_vec(), true));
        // The quotient by 4, rounded down.
        assert_eq!(one("4 * i <= g && g < 4 * i + 4"), (vec![vec![input(0, 2)]], true));
        let mut random = fastrand::Rng::with_seed(7);
        let found =
            solutions("input i: int;", "-2 * i == 998", "", &mut Choice::Random(&mut random));
        assert_eq!(found.0, [[input(0, -499)]]);
    }

    #[test]
    fn critical_values_reach_both_sides_of_a_comparison() {
        let (found, all) =
            solutions("input i: int;", "i > 500 || i < -500", "", &mut Choice::All(0));
        let values: Vec<i64> = found.iter().map(|picks| picks[0].value).collect();
        assert!(values.contains(&501) && values.contains(&-501), "{values:?}");
        assert!(!all && !values.contains(&500));
    }

    #[test]
    fn inputs_are_solved_in_the_order_of_what_determines_them() {
        let guard = "i == j + g && j == 5 && k";
        let (found, all) =
            solutions("input i: int; input j: int; input k: bool;", guard, "", &mut Choice::All(2));
        assert_eq!(found.len(), 1);
        for pick in [input(0, 15), input(1, 5), input(2, 1)] {
            assert!(found[0].contains(&pick), "{found:?}");
        }
        assert!(all);
    }

    #[test]
    fn variables_and_elements_get_values_when_they_are_read() {
        let (h, element) =
            (Unknown::Number(Place::Global(1)), Unknown::Element(Place::Global(0), 4));
        let read = |guard: &str| solutions("", guard, "", &mut Choice::All(1)).0;
        assert_eq!(read("h == g"), [[Pick { unknown: h, value: 10 }]]);
        assert_eq!(read("a[4] == 12"), [[Pick { unknown: element, value: 12 }]]);
        assert_eq!(read("a[4 := 1][4] == 1 && a[3] == 7"), [[]]);
        assert!(read("a[3] == 8").is_empty());
        // What does not matter stays open.
        assert_eq!(read("g == 10 || b"), [[]]);
        let local = Unknown::Number(Place::Local(0));
        assert_eq!(read("n == 70"), [[Pick { unknown: local, value: 70 }]]);
    }

    #[test]
    fn an_index_is_solved_for_the_elements_that_are_known() {
        let (found, all) = solutions("input i: int;", "a[2 * i + 1] == 7", "", &mut Choice::All(0));
        assert!(found.contains(&vec![input(0, 1)]), "{found:?}");
        assert!(!all);
        let written =
            solutions("input i: int;", "a[2 * i - 1 := 1][3] != 7", "", &mut Choice::All(0));
        assert_eq!(written, (vec![vec![input(0, 2)]], true));
    }

    #[test]
    fn what_an_update_needs_is_chosen_of_the_constants_and_the_state() {
        let (found, all) = solutions("input i: int;", "true", "h := i;", &mut Choice::All(40));
        let values: Vec<i64> = found.iter().map(|picks| picks[0].value).collect();
        assert!([0, 1, -1, 9, 10, 11].iter().all(|value| values.contains(value)), "{values:?}");
        assert!(!all);
    }

    #[test]
    fn nothing_is_chosen_where_a_value_does_not_fit() {
        let most = i64::MAX;
        let guard = format!("g + i > {most} && i > 0");
        assert!(solutions("input i: int;", &guard, "", &mut Choice::All(3)).0.is_empty());
    }
}
