"""Configurations and their steps (SPEC.md, sections 8.3 to 8.6), and the slots of impossible ones (8.8)."""

from errors import require
from space_schema import Configuration


class Branch:
    """What is known before a step: instances that hold and that do not."""

    def __init__(self, holds, fails):
        self.holds = holds
        self.fails = fails

    def copy(self):
        return Branch(set(self.holds), set(self.fails))

    def propagate(self, clauses, used):
        """Whether the branch is closed. A clause is (triple, instances): one of the instances does not hold."""
        changed = True
        while changed:
            changed = False
            for triple, instances in clauses:
                if any(i in self.fails for i in instances):
                    continue
                unknown = [i for i in instances if i not in self.holds]
                if len(unknown) > 1:
                    continue
                used.add(triple)
                if not unknown:
                    return True
                self.fails.add(unknown[0])
                changed = True
        return False


class Emptiness:
    def __init__(self, program, predicates, proof):
        self.program = program
        self.predicates = predicates
        self.basis = proof.basis
        self.configurations = proof.configurations
        self.targets = proof.configurations + proof.impossible
        self.error_steps = proof.error_steps
        self.error_configurations = [
            Configuration([(t, location)], [], [])
            for t, template in enumerate(program.templates)
            for location, error in enumerate(template.errors)
            if error
        ]
        self.with_edges = [number for number, template in enumerate(program.templates) if template.edges]
        self.used_triples = set()
        self.triples_of = {}
        for number, triple in enumerate(self.basis):
            key = (triple.template, triple.edge, triple.post, triple.acting)
            self.triples_of.setdefault(key, []).append(number)
        self.embedded = {}

    # Well-formedness: 8.3

    def check_well_formed(self):
        for configuration in self.targets:
            self._check_slots(configuration)

    def _check_slots(self, configuration):
        templates = self.program.templates
        single = set()
        for template, location in configuration.threads:
            require(template < len(templates), "index", "an unknown template")
            require(location is None or location < len(templates[template].locations), "index", "an unknown location")
            require(template not in single, "single-twice", "two slots of one template one")
            if not templates[template].many:
                single.add(template)
        slots = [template for template, _ in configuration.threads]
        self.predicates.check_instances(configuration.negated, slots)
        occurring = {slot for _, threads in configuration.negated for slot in threads}
        for slot, (_, location) in enumerate(configuration.threads):
            require(location is not None or slot in occurring, "unused", "a slot without location and predicate")

    # Steps: 8.4

    def check_steps(self):
        hints = iter(self.error_steps)
        for configuration in self.error_configurations:
            self._check_configuration(configuration, hints, None)
        require(next(hints, None) is None, "unused", "error_steps has entries left")
        for number, configuration in enumerate(self.configurations):
            hints = iter(configuration.steps)
            self._check_configuration(configuration, hints, number)
            require(next(hints, None) is None, "unused", "a configuration's steps has entries left")

    def _steps(self, configuration):
        """Each step as (acting slot, its template, edge number)."""
        templates = self.program.templates
        for slot, (template, location) in enumerate(configuration.threads):
            if location is not None and templates[template].errors[location]:
                for number, edge in enumerate(templates[template].edges):
                    if edge.target == location and not templates[template].errors[edge.source]:
                        yield slot, template, number
                return
        for slot, (template, location) in enumerate(configuration.threads):
            for number, edge in self._clean_edges(template):
                if location is None or edge.target == location:
                    yield slot, template, number
        present = {template for template, _ in configuration.threads}
        for template in self.with_edges:
            if templates[template].many or template not in present:
                for number, _ in self._clean_edges(template):
                    yield len(configuration.threads), template, number

    def _clean_edges(self, template):
        """The edges that neither begin nor end at an error location, with their numbers."""
        own = self.program.templates[template]
        for number, edge in enumerate(own.edges):
            if not own.errors[edge.source] and not own.errors[edge.target]:
                yield number, edge

    def _check_configuration(self, configuration, entries, number):
        for slot, template, edge in self._steps(configuration):
            step = Step(self, configuration, slot, template, edge)
            if step.closes_by_itself():
                continue
            hints = next(entries, None)
            require(hints is not None, "step-open", "no entry for a step")
            step.check(hints, self.embedded.setdefault(number, set()))

    # Start: 8.5

    def check_accepting(self, initial):
        """The initial predicates that are used."""
        listed, used = set(initial), set()
        for configuration in self.error_configurations + self.configurations:
            if any(location not in (None, 0) for _, location in configuration.threads):
                continue
            first = next((number for number, _ in configuration.negated if number in listed), None)
            require(first is not None, "accepting", "a configuration may hold initially")
            used.add(first)
        return used

    # Use: 8.6

    def check_used(self):
        require(len(self.used_triples) == len(self.basis), "unused", "a triple is not used")
        reached, todo = set(), [None]
        while todo:
            new = self.embedded.get(todo.pop(), set()) - reached
            reached |= new
            todo.extend(new)
        require(len(reached) == len(self.targets), "unused", "a configuration is not reached")


class Step:
    """One step of a configuration and its successor."""

    def __init__(self, emptiness, configuration, slot, template, edge_number):
        self.emptiness = emptiness
        self.predicates = emptiness.predicates
        self.configuration = configuration
        edge = emptiness.program.templates[template].edges[edge_number]
        self.slots = list(configuration.threads)
        self.slots[slot : slot + 1] = [(template, edge.source)]
        self.branch = Branch(set(), set())
        self.clauses = []
        for instance in configuration.negated:
            acting = instance[1].index(slot) + 1 if slot in instance[1] else 0
            if self.predicates.is_frame(instance[0], template, edge, acting):
                self.branch.fails.add(instance)
            self._add_clauses((template, edge_number, instance[0], acting), slot, instance[1])
        self._add_clauses((template, edge_number, 0, 0), slot, ())

    def _add_clauses(self, key, slot, threads):
        acting = key[3]
        others = [thread for position, thread in enumerate(threads, 1) if position != acting]
        names = [slot, *others]
        for number in self.emptiness.triples_of.get(key, ()):
            pre = self.emptiness.basis[number].pre
            instances = [self.predicates.normal(p, [names[thread] for thread in own]) for p, own in pre]
            self.clauses.append((number, instances))

    def _propagate(self):
        return self.branch.propagate(self.clauses, self.emptiness.used_triples)

    def _still_holds(self):
        """The configuration itself holds before the step."""
        kept = all(
            location is None or self.slots[slot] == (template, location)
            for slot, (template, location) in enumerate(self.configuration.threads)
        )
        return kept and all(instance in self.branch.fails for instance in self.configuration.negated)

    def closes_by_itself(self):
        return self._still_holds() or self._propagate() or self._still_holds()

    def check(self, hints, embedded):
        """The step closes by its hints."""
        waiting, done = [], False
        for kind, hint in hints:
            require(not done, "unused", "a hint after the step is done")
            closed = self._embed(hint, embedded) if kind == "e" else self._split(hint, waiting)
            closed = closed or self._propagate()
            while closed and waiting:
                self.branch = waiting.pop()
                closed = self._propagate()
            done = closed
        require(done, "step-open", "the hints end before the step is done")

    def _embed(self, hint, embedded):
        """Whether the embedding closes the branch."""
        number, threads = hint
        targets = self.emptiness.targets
        require(number < len(targets), "index", "an unknown configuration")
        target = targets[number]
        require(len(threads) == len(target.threads), "embedding", "another number of threads than of slots")
        for thread, (template, location) in zip(threads, target.threads):
            require(thread < len(self.slots), "index", "an unknown slot")
            own_template, own_location = self.slots[thread]
            require(own_template == template, "embedding", "a slot of another template")
            require(location is None or own_location == location, "embedding", "a slot at another location")
        require(len(set(threads)) == len(threads), "embedding", "a slot occurs twice")
        negated = [self.predicates.normal(p, [threads[slot] for slot in own]) for p, own in target.negated]
        require(not any(i in self.branch.holds for i in negated), "embedding", "a negated predicate is known to hold")
        unknown = [i for i in negated if i not in self.branch.fails]
        require(len(unknown) <= 1, "embedding", "two negated predicates are unknown")
        embedded.add(number)
        self.branch.holds.update(unknown)
        return not unknown

    def _split(self, instance, waiting):
        self.predicates.check_instance(instance, [template for template, _ in self.slots])
        known = instance in self.branch.holds or instance in self.branch.fails
        require(not known, "embedding", "a split on an instance that is known")
        other = self.branch.copy()
        other.holds.add(instance)
        waiting.append(other)
        self.branch.fails.add(instance)
        return False
