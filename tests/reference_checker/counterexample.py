"""Counterexamples (SPEC.md, section 9)."""

from errors import require
from execution import Execution
from kinds import ERROR_REACHABLE, Told
from schema import array, fields, state, u32, values


def read(item):
    def move(item):
        edge, inputs, thread = fields(item, "edge", "inputs", "thread")
        return u32(thread), u32(edge), values(inputs)

    start, schedule = fields(item, "start", "schedule")
    return state(start), array(schedule, move)


def conclusion(_proof):
    return ERROR_REACHABLE


def plural(number, noun):
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def check(program, proof):
    """Section 9. The threads are told with those of templates `one` that are not listed."""
    start, schedule = proof
    execution = Execution(program, start)
    ended = False
    for thread, edge, inputs in schedule:
        require(not ended, "replay", "a move after an error location is reached")
        ended = execution.move(thread, edge, inputs)
    require(ended, "replay", "no thread reaches an error location")
    require(all(execution.moved), "unused", "a thread does not move")
    threads = plural(len(execution.templates) + len(execution.unlisted), "thread")
    happens = f"an execution of {threads} leads a thread to an error location in {plural(len(schedule), 'step')}"
    return Told("counterexample, replayed", None, happens)
