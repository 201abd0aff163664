"""Asks a solver about SMT-LIB scripts: `solve.py z3|cvc5 < PATHS`. Prints for each path, in order, a line: the first
line of what the solver answers (`sat`, `unsat`, `unknown`), or an error.

The solvers are the libraries that setup.sh fetches, called through their C interfaces, so any Python will do. They get
the file's text and nothing else.
"""

import ctypes
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# For one script.
MILLISECONDS = 60_000


def library(pattern):
    found = sorted(ROOT.glob(pattern))
    if not found:
        sys.exit(f"no {pattern}: ./setup.sh z3 cvc5 fetches it")
    return ctypes.CDLL(str(found[0]))


def function(library, name, result, *arguments):
    found = getattr(library, name)
    found.restype, found.argtypes = result, arguments
    return found


def z3():
    lib = library(".z3/z3/lib/libz3.so")
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    new_configuration = function(lib, "Z3_mk_config", pointer)
    set_parameter = function(lib, "Z3_set_param_value", None, pointer, text, text)
    new = function(lib, "Z3_mk_context", pointer, pointer)
    delete = function(lib, "Z3_del_context", None, pointer)
    evaluate = function(lib, "Z3_eval_smtlib2_string", text, pointer, text)
    configuration = new_configuration()
    set_parameter(configuration, b"timeout", str(MILLISECONDS).encode())

    def solve(script):
        context = new(configuration)
        answer = evaluate(context, script).decode()
        delete(context)
        return answer

    return solve


def cvc5():
    # The parser's library first: it loads the other one from beside it.
    parsing = library(".cvc5/cvc5.libs/libcvc5parser-*.so.*")
    solving = library(".cvc5/cvc5.libs/libcvc5-*.so.*")
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    new_terms = function(solving, "cvc5_term_manager_new", pointer)
    delete_terms = function(solving, "cvc5_term_manager_delete", None, pointer)
    new = function(solving, "cvc5_new", pointer, pointer)
    delete = function(solving, "cvc5_delete", None, pointer)
    set_option = function(solving, "cvc5_set_option", None, pointer, text, text)
    new_symbols = function(parsing, "cvc5_symbol_manager_new", pointer, pointer)
    delete_symbols = function(parsing, "cvc5_symbol_manager_delete", None, pointer)
    new_parser = function(parsing, "cvc5_parser_new", pointer, pointer, pointer)
    delete_parser = function(parsing, "cvc5_parser_delete", None, pointer)
    set_input = function(parsing, "cvc5_parser_set_str_input", None, pointer, ctypes.c_int, text, text)
    next_command = function(parsing, "cvc5_parser_next_command", pointer, pointer, ctypes.POINTER(text))
    invoke = function(parsing, "cvc5_cmd_invoke", text, pointer, pointer, pointer)
    smt_lib = 0

    def solve(script):
        terms = new_terms()
        solver, symbols = new(terms), new_symbols(terms)
        set_option(solver, b"tlimit-per", str(MILLISECONDS).encode())
        parser = new_parser(solver, symbols)
        set_input(parser, smt_lib, script, b"script")
        answer = ""
        while True:
            error = text()
            command = next_command(parser, ctypes.byref(error))
            if error.value:
                answer += "error: " + error.value.decode()
                break
            if not command:
                break
            answer += invoke(command, solver, symbols).decode()
        delete_parser(parser)
        delete_symbols(symbols)
        delete(solver)
        delete_terms(terms)
        return answer

    return solve


def main():
    solvers = {"z3": z3, "cvc5": cvc5}
    if len(sys.argv) != 2 or sys.argv[1] not in solvers:
        sys.exit(__doc__)
    solve = solvers[sys.argv[1]]()
    for path in sys.stdin.read().splitlines():
        answer = solve(pathlib.Path(path).read_bytes())
        print((answer.splitlines() or ["no answer"])[0], flush=True)


main()
