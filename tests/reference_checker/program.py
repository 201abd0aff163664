"""The core form of programs (SPEC.md, section 4): tokens, digest, parser, and the counters of a program."""

import hashlib
import re
from dataclasses import dataclass, field

import limits
from errors import Refused, require
from logic import BOOL, Scope, TRUE, check_sort, sorts

WORDS = frozenset(
    "core assumption global init int bool many one local location error edge input when true false".split()
)
BYTES = re.compile(rb"(?:[ -~\t\n]|\r(?=\n))*")
TOKEN = re.compile(
    r"""[ \n\r\t]+|//[^\n]*|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<integer>[0-9]+)|(?P<string>"[^"\n]*")"""
    r"""|(?P<symbol>:=|==|!=|<=|>=|&&|\|\||->|[;:{}()\[\],<>!+\-*/%#.])"""
)
BINARY = {"||": 1, "&&": 2, "==": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3, "+": 4, "-": 4}
RELATION = 3
TERM = 5


@dataclass
class Edge:
    source: int
    target: int
    inputs: list
    guard: tuple
    updates: dict


@dataclass
class Template:
    """`own` are the numbers of the globals that a template `one` declares as its locals."""

    name: str
    many: bool
    locals: list = field(default_factory=list)
    init: tuple = TRUE
    locations: list = field(default_factory=list)
    errors: list = field(default_factory=list)
    edges: list = field(default_factory=list)
    own: range = range(0)


@dataclass
class Program:
    """Globals include the locals of templates `one`, which has none here; the first `shared` are those of the text."""

    assumptions: list = field(default_factory=list)
    globals: list = field(default_factory=list)
    shared: int = 0
    init: tuple = TRUE
    templates: list = field(default_factory=list)
    statement: str = ""
    digest: bytes = b""

    def is_counter(self, template, location):
        """Section 4.4."""
        if template >= len(self.templates):
            return False
        own = self.templates[template]
        return location < len(own.locations) and not own.errors[location] and not (own.many and location == 0)


def tokens_of(text):
    """The tokens as (kind, text)."""
    tokens, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        require(match is not None, "syntax", f"no token begins at character {at}")
        at = match.end()
        kind, length = match.lastgroup, len(match.group())
        require(kind != "name" or length <= limits.NAME, "limit", "a name has too many characters")
        require(kind != "integer" or length <= limits.DIGITS, "limit", "an integer literal has too many digits")
        if kind:
            require(len(tokens) < limits.TOKENS, "limit", "the program has too many tokens")
            tokens.append((kind, match.group()))
    return tokens


class Parser:
    def __init__(self, text):
        self.tokens = tokens_of(text)
        self.at = 0
        self.program = Program()
        self.numbers = {}

    # Tokens

    def peek(self):
        """The text of the next token; the empty text at the end."""
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def kind(self):
        return self.tokens[self.at][0] if self.at < len(self.tokens) else "end"

    def take(self):
        text = self.peek()
        self.at += 1
        return text

    def accept(self, text):
        if self.peek() != text:
            return False
        self.at += 1
        return True

    def expect(self, text):
        require(self.accept(text), "syntax", f"token {self.at}: {text!r} expected, found {self.peek()!r}")

    def name(self):
        require(self.kind() == "name" and self.peek() not in WORDS, "syntax", f"token {self.at}: a name expected")
        return self.take()

    def integer(self):
        require(self.kind() == "integer", "syntax", f"token {self.at}: an integer expected")
        return int(self.take())

    # Declarations

    def declaration(self, scope, variable):
        """The rest of a declaration: the name goes into the scope as the variable."""
        name = self.name()
        require(name not in scope, "syntax", f"{name} is in scope already")
        self.expect(":")
        sort = self.take()
        require(sort in ("int", "bool"), "syntax", "a sort expected")
        if self.accept("["):
            self.expect("]")
            sort += "[]"
        self.expect(";")
        scope[name] = variable
        return name, sort

    def formula(self, word, scope, sorts):
        """An optional formula after a word; `true` if it is omitted."""
        if not self.accept(word):
            return TRUE
        formula = self.expression(scope, sorts, BOOL, counters=word == "when")
        self.expect(";")
        return formula

    def parse(self):
        program = self.program
        self.expect("core")
        self.expect("1")
        self.expect(";")
        while self.accept("assumption"):
            require(self.kind() == "string", "syntax", "a string expected")
            program.assumptions.append(self.take()[1:-1])
            self.expect(";")
        names = {}
        while self.accept("global"):
            program.globals.append(self.declaration(names, ("g", len(program.globals))))
        program.shared = len(program.globals)
        program.init = self.formula("init", names, Scope(program))
        while self.at < len(self.tokens):
            self.template(names)
        self.resolve_counters()
        program.statement = "".join(text + "\n" for _, text in self.tokens)
        program.digest = hashlib.sha256(program.statement.encode()).digest()
        return program

    def template(self, names):
        program = self.program
        word = self.take()
        require(word in ("many", "one"), "syntax", "a template expected")
        template = Template(self.name(), word == "many")
        require(template.name not in self.numbers, "syntax", "a template's name occurs twice")
        self.numbers[template.name] = len(program.templates)
        program.templates.append(template)
        self.expect("{")
        names = dict(names)
        first = len(program.globals)
        while self.accept("local"):
            if template.many:
                template.locals.append(self.declaration(names, ("l", 0, len(template.locals))))
            else:
                program.globals.append(self.declaration(names, ("g", len(program.globals))))
        template.own = range(first, len(program.globals))
        positions = [len(program.templates) - 1]
        template.init = self.formula("init", names, Scope(program, positions))
        locations = {}
        while self.accept("location"):
            name = self.name()
            require(name not in locations, "syntax", "a location's name occurs twice")
            locations[name] = len(locations)
            template.locations.append(name)
            template.errors.append(self.accept("error"))
            self.expect(";")
        require(bool(locations), "syntax", "a template without a location")
        require(not template.errors[0], "syntax", "the initial location is an error location")
        while self.accept("edge"):
            template.edges.append(self.edge(names, locations, positions))
        self.expect("}")

    def resolve_counters(self):
        """Counters are parsed as ("n", name, name), since a template may come later in the text."""
        def resolved(op):
            if op[0] != "n":
                return op
            number = self.numbers.get(op[1])
            require(number is not None, "syntax", f"{op[1]} is no template")
            locations = self.program.templates[number].locations
            require(op[2] in locations, "syntax", f"{op[2]} is no location of {op[1]}")
            location = locations.index(op[2])
            require(self.program.is_counter(number, location), "syntax", f"#{op[1]}.{op[2]} is no counter")
            return ("n", number, location)

        for template in self.program.templates:
            for edge in template.edges:
                edge.guard = tuple(map(resolved, edge.guard))
                edge.updates = {variable: tuple(map(resolved, value)) for variable, value in edge.updates.items()}

    def location(self, locations):
        name = self.name()
        require(name in locations, "syntax", f"{name} is no location")
        return locations[name]

    def edge(self, names, locations, positions):
        source = self.location(locations)
        self.expect("->")
        target = self.location(locations)
        self.expect("{")
        names, inputs = dict(names), []
        while self.accept("input"):
            inputs.append(self.declaration(names, ("u", len(inputs))))
        scope = Scope(self.program, positions, sorts(inputs))
        guard = self.formula("when", names, scope)
        updates = {}
        if not self.accept("}"):
            self.update(names, scope, updates)
            while self.accept(","):
                self.update(names, scope, updates)
            self.expect(";")
            self.expect("}")
        return Edge(source, target, inputs, guard, updates)

    def update(self, names, scope, updates):
        name = self.name()
        variable = names.get(name)
        require(variable is not None and variable[0] != "u", "syntax", f"{name} cannot be updated")
        require(variable not in updates, "syntax", f"{name} is updated twice")
        self.expect(":=")
        updates[variable] = self.expression(names, scope, scope.sort(variable))

    # Expressions

    def expression(self, names, scope, wanted, counters=True):
        """An expression of the sort wanted. Pending operators and open brackets are on a stack of our own."""
        out = ExpressionParser(self, names, counters).run()
        try:  # a counter has sort Int, whichever it turns out to be
            check_sort([("i", 0) if op[0] == "n" else op for op in out], scope, wanted)
        except Refused as error:
            if error.category == "limit":
                raise
            raise Refused("syntax", error.reason) from error
        return out


class ExpressionParser:
    """Operator precedence. On the stack: (precedence, operator) of binary ones, ("prefix", operator), ("open", bracket)."""

    def __init__(self, parser, names, counters):
        self.parser = parser
        self.names = names
        self.counters = counters
        self.out = []
        self.stack = []

    def run(self):
        self.operand()
        while self.after_operand():
            pass
        return tuple(self.out)

    def operand(self):
        """Up to and with the next name, counter, number or truth value."""
        parser = self.parser
        while True:
            if parser.accept("!"):
                self.stack.append(("prefix", ("!",)))
            elif parser.accept("("):
                self.stack.append(("open", "("))
            elif parser.kind() == "integer" or parser.peek() == "-":
                number = -parser.integer() if parser.accept("-") else parser.integer()
                if not parser.accept("*"):
                    self.out.append(("i", number))
                    return
                self.stack.append(("prefix", ("*", number)))
            elif parser.peek() in ("true", "false"):
                self.out.append(("b", parser.take() == "true"))
                return
            elif self.counters and parser.accept("#"):
                template = parser.name()
                parser.expect(".")
                self.out.append(("n", template, parser.name()))
                return
            else:
                name = parser.name()
                require(name in self.names, "syntax", f"{name} is not in scope")
                self.out.append(self.names[name])
                return

    def reduce(self, precedence):
        """Apply the pending operators that bind at least so tightly, up to an open bracket."""
        while self.stack and self.stack[-1][0] != "open":
            if self.stack[-1][0] != "prefix" and self.stack[-1][0] < precedence:
                return
            self.out.append(self.stack.pop()[1])

    def after_operand(self):
        """What follows an access; false at the end of the expression."""
        parser = self.parser
        token = parser.peek()
        if token == "[":
            parser.take()
            self.stack.append(("open", "["))
            self.operand()
            return True
        if token in ("/", "%"):
            parser.take()
            self.reduce(TERM)
            self.out.append((token, parser.integer()))
            return True
        if parser.kind() == "symbol" and token in BINARY:
            precedence = BINARY[token]
            self.reduce(precedence + (precedence == RELATION))
            twice = precedence == RELATION and self.stack and self.stack[-1][0] == RELATION
            require(not twice, "syntax", "two comparisons in a row")
            parser.take()
            op = ("c", token) if precedence == RELATION else (token,)
            self.stack.append((precedence, op))
            self.operand()
            return True
        self.reduce(0)
        if not self.stack:
            return False
        parser.take()
        _, bracket = self.stack.pop()
        if bracket == "[" and token == ":=":
            self.stack.append(("open", "[:="))
            self.operand()
        elif bracket == "(":
            require(token == ")", "syntax", "`)` expected")
        else:
            require(token == "]", "syntax", "`]` expected")
            self.out.append(("[]",) if bracket == "[" else ("[:=]",))
        return True


def parse(data):
    """The program of these bytes."""
    require(len(data) <= limits.BYTES, "limit", "the program is too long")
    require(BYTES.fullmatch(data) is not None, "syntax", "a byte that the core form does not use")
    return Parser(data.decode(errors="replace")).parse()
