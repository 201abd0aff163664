"""Proof spaces (SPEC.md, section 8)."""


import counters
import execution
import limits
import refutation
from clausal import ClausalForm, clausal_form
from configurations import Emptiness
from errors import require
from logic import BOOL, FALSE, Scope, check_sort, negation, rename, sorts, substitute
from kinds import SAFE, Told
from space_schema import Predicate, read


def require_ascending(items, what):
    require(all(a < b for a, b in zip(items, items[1:])), "order", f"{what} are not strictly ascending")


class Predicates:
    """Section 8.1. Predicate 0 is `false`."""

    def __init__(self, program, listed):
        self.program = program
        self.all = [Predicate(FALSE, [])]
        self._classes = {}
        self.named = set()
        known = {(FALSE, ())}
        for predicate in listed:
            self._check(predicate)
            same = (predicate.formula, tuple(predicate.threads))
            require(same not in known, "duplicate-predicate", "two predicates are the same")
            known.add(same)
            self.all.append(predicate)

    def _check(self, predicate):
        require(len(predicate.threads) <= limits.POSITIONS, "limit", "a predicate has too many positions")
        for template in predicate.threads:
            require(template < len(self.program.templates), "index", "an unknown template")
            require(self.program.templates[template].many, "instance", "a position of a template that is not many")
        check_sort(predicate.formula, Scope(self.program, predicate.threads), BOOL)
        require(predicate.formula[-1] != ("&&",), "conjunction", "a predicate is a conjunction")

    def require_known(self, number):
        require(number < len(self.all), "index", "an unknown predicate")

    def classes(self, number):
        """For each position of a predicate, the first position that it is interchangeable with."""
        if number not in self._classes:
            self._classes[number] = self._find_classes(self.all[number])
        return self._classes[number]

    def _find_classes(self, predicate):
        classes = []
        for k in range(len(predicate.threads)):
            same = (i for i in range(k) if classes[i] == i and self._interchangeable(predicate, i, k))
            classes.append(next(same, k))
        return classes

    def _interchangeable(self, predicate, i, k):
        threads = predicate.threads
        exchange = list(range(len(threads)))
        exchange[i], exchange[k] = k, i
        form = ClausalForm(Scope(self.program, threads))
        return threads[i] == threads[k] and form.literal(predicate.formula) == form.literal(
            rename(predicate.formula, exchange)
        )

    def normal(self, number, threads):
        """The normal form of an instance: threads at interchangeable positions ascend."""
        classes = self.classes(number)
        least = list(threads)
        for first in set(classes):
            places = [k for k, own in enumerate(classes) if own == first]
            for k, thread in zip(places, sorted(threads[p] for p in places)):
                least[k] = thread
        return number, tuple(least)

    def check_instance(self, instance, templates):
        """An instance over threads of these templates."""
        number, threads = instance
        self.require_known(number)
        positions = self.all[number].threads
        require(number != 0, "instance", "an instance of false")
        require(len(threads) == len(positions), "instance", "another number of threads than of positions")
        for thread, position in zip(threads, positions):
            require(thread < len(templates), "index", "an unknown thread")
            require(templates[thread] == position, "instance", "a thread of another template than its position's")
        require(len(set(threads)) == len(threads), "instance", "a thread occurs twice")
        require(self.normal(number, threads) == instance, "order", "an instance is not in normal form")

    def check_instances(self, instances, templates):
        """A list of instances, strictly ascending."""
        require_ascending(instances, "instances")
        for instance in instances:
            self.check_instance(instance, templates)
            self.named.add(instance[0])

    def formula(self, instance):
        return rename(self.all[instance[0]].formula, instance[1])

    def is_frame(self, number, template, edge, acting):
        """Section 8.2: the template's edge leaves the predicate as it is; `acting` counts from 1, 0 is none."""
        predicate = self.all[number]
        for op in predicate.formula:
            if op[0] == "g" and op in edge.updates:
                return False
            if op[0] == "l" and op[1] == acting - 1 and ("l", 0, op[2]) in edge.updates:
                return False
        changed = counters.changes(self.program, template, edge)
        if changed.keys().isdisjoint(predicate.formula):
            return True
        form = ClausalForm(Scope(self.program, predicate.threads))
        return form.literal(predicate.formula) == form.literal(substitute(predicate.formula, changed))


def triple_obligation(program, predicates, triple):
    """Section 8.2: the triple is well formed; its obligation, as formulas and scope."""
    predicates.require_known(triple.post)
    post = predicates.all[triple.post]
    require(triple.template < len(program.templates), "index", "an unknown template")
    template = program.templates[triple.template]
    require(triple.edge < len(template.edges), "index", "an unknown edge")
    edge = template.edges[triple.edge]
    require(triple.acting <= len(post.threads), "index", "an unknown acting position")
    threads = [triple.template if template.many else None]
    positions = []
    for position, own in enumerate(post.threads, 1):
        if position == triple.acting:
            require(own == triple.template, "instance", "the acting thread has another template")
            positions.append(0)
        else:
            positions.append(len(threads))
            threads.append(own)
    require_ascending(triple.pre, "preconditions")
    for number, named in triple.pre:
        known = all(thread < len(threads) and threads[thread] is not None for thread in named)
        require(known, "irrelevant-thread", "a precondition names another thread")
        predicates.check_instance((number, named), threads)
        predicates.named.add(number)
    predicates.named.add(triple.post)
    formulas = [predicates.formula(instance) for instance in triple.pre]
    formulas.append(edge.guard)
    updates = edge.updates | counters.changes(program, triple.template, edge)
    formulas.append(negation(substitute(rename(post.formula, positions), updates)))
    formulas += counters.facts(program, formulas, [(triple.template, edge.source)])
    return formulas, Scope(program, threads, sorts(edge.inputs))


def initial_obligation(program, predicates, number):
    """Section 8.5."""
    predicates.require_known(number)
    require(number != 0, "instance", "false is listed as initial")
    predicate = predicates.all[number]
    formulas = [program.init]
    formulas += [template.init for template in program.templates if not template.many]
    formulas += [rename(program.templates[t].init, [position]) for position, t in enumerate(predicate.threads)]
    formulas.append(negation(predicate.formula))
    formulas += counters.initial_facts(program, formulas)
    return formulas, Scope(program, predicate.threads)


def impossible_obligation(program, predicates, configuration):
    """Section 8.8."""
    formulas = [negation(predicates.formula(instance)) for instance in configuration.negated]
    places = [slot for slot in configuration.threads if slot[1] is not None]
    formulas += counters.facts(program, formulas, places)
    return formulas, Scope(program, [template for template, _ in configuration.threads])


def refute(obligation, steps):
    refutation.check(clausal_form(*obligation), steps)


def conclusion(_proof):
    return SAFE


def check(program, proof):
    """Section 8, in its order."""
    predicates = Predicates(program, proof.predicates)
    initial = [number for number, _ in proof.initial]
    require_ascending(initial, "initial predicates")
    emptiness = Emptiness(program, predicates, proof)
    emptiness.check_well_formed()
    for triple in proof.basis:
        refute(triple_obligation(program, predicates, triple), triple.refutation)
    for number, steps in proof.initial:
        refute(initial_obligation(program, predicates, number), steps)
    for configuration in proof.impossible:
        refute(impossible_obligation(program, predicates, configuration), configuration.refutation)
    emptiness.check_steps()
    unused_initial = set(initial) - emptiness.check_accepting(initial)
    emptiness.check_used()
    require(not unused_initial, "unused", "an initial predicate is not used")
    listed = set(range(1, len(predicates.all)))
    require(listed <= predicates.named, "unused", "a predicate is not used")
    if proof.witness is not None:
        execution.check_witness(program, proof.witness)
    sizes = f"{len(proof.predicates)} predicates, {len(proof.basis)} triples, {len(proof.configurations)} configurations"
    return Told(f"proof space: {sizes}", proof.witness, None)
