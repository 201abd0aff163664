//! What is wrong with abstract threads.

use crate::errors::check;

/// The errors of an abstract thread; its parts are on line 2.
fn refused(parts: &str, errors: &[&str]) {
    let source = format!(
        "global int x; global bool b; global int a[]; abstract W {{\n{parts}\n}}\nthread t[*] abstracts W {{ local int y; y = x; }}\n"
    );
    check(&source, errors);
}

#[test]
fn syntax() {
    refused("initial a;", &["2:9: expected `node`, found `a`"]);
    refused("common (x > 0);", &["2:8: expected `assertion`, found `(`"]);
    refused("node a", &["2:6: expected `;`, found `}`"]);
    refused("x = 1;", &["2:1: expected a part of an abstract thread, found `x`"]);
    refused("edge a b;", &["2:8: expected `->`, found `b`"]);
    refused("edge a -> 1;", &["2:11: expected the name of a node, found `1`"]);
    refused("edge a -> b unchanged except x;", &["2:30: expected `(`, found `x`"]);
    refused(
        "edge a -> b unchanged except ();",
        &["2:31: expected the name of a variable, found `)`"],
    );
    refused("local int k in 0..x;", &["2:19: expected a bound of a range, found `x`"]);
    refused("local int k in 0, 3;", &["2:17: expected `..`, found `,`"]);
    refused(
        "node 1; edge a -> b c;\nlocal float f;",
        &[
            "2:6: expected the name of a node, found `1`",
            "2:21: expected `;`, found `c`",
            "3:7: expected a type (int, bool or lock), found `float`",
        ],
    );
    check("abstract W {\n", &["1:12: expected `}`, found the end of the file"]);
    check("thread t abstracts { }", &["1:20: expected the name of an abstract thread, found `{`"]);
}

#[test]
fn wrong_nodes_and_edges() {
    refused("node a;", &["1:55: `W` has no initial node"]);
    refused("initial node a; node a;", &["2:22: the node `a` is declared twice"]);
    refused("initial node a; edge a -> b;", &["2:27: there is no node `b`"]);
    refused("initial node a; node b; edge b -> a;", &["2:17: no path leads to the node `b`"]);
    refused("initial node a; edge a -> a (false);", &["2:17: this edge can never be taken"]);
    refused(
        "local int k in 0..2 = 1; initial node a; edge a -> a (k == 2) unchanged;",
        &["2:42: this edge can never be taken"],
    );
    refused("initial node a (true);", &["2:17: this assertion always holds"]);
    refused("initial node a (x);", &["2:17: expected a truth value, found an integer"]);
}

#[test]
fn what_abstract_threads_cannot_mention() {
    let assertion = |formula: &str, error: &str| {
        refused(&format!("initial node a ({formula});"), &[error]);
    };
    assertion("y > 0", "2:17: `y` is not declared");
    assertion("x' > 0", "2:17: `x'` is not allowed here");
    assertion("W > 0", "2:17: `W` is an abstract thread, not a variable");
    assertion("count(a) > 0", "2:17: `count` stands in `assert`, `invariant` and `hint` only");
    assertion("2 / x > 0", "2:21: the divisor is not a constant");
    assertion("*", "2:17: `*` is not allowed here");
    let edge = |text: &str, errors: &[&str]| {
        refused(&format!("initial node a; edge a -> a {text};"), errors);
    };
    edge("(x' == 2 % x)", &["2:40: the divisor is not a constant"]);
    edge("(z' == x)", &["2:30: `z` is not declared"]);
    edge("(x' == x) unchanged", &["2:30: this edge leaves `x` unchanged"]);
    edge("(a' == a)", &["2:30: expected an integer, found an array"]);
    edge("(t' == x)", &["2:30: `t` is a thread, not a variable"]);
    edge("unchanged except (y, x, x)", &["2:47: `y` is not declared", "2:53: `x` is named twice"]);
    check("global int x; thread t { x = x'; }", &["1:30: `x'` is not allowed here"]);
    check("global int x; thread t { x' = 1; }", &["1:26: `x'` is not allowed here"]);
}

#[test]
fn wrong_locals() {
    let local = |text: &str, errors: &[&str]| {
        refused(&format!("local {text}; initial node n;"), errors);
    };
    local("int k", &["2:11: `k` can have infinitely many values"]);
    local("int k[]", &["2:11: `k` can have infinitely many values"]);
    local("int k in 2..1", &["2:16: this range is empty"]);
    local("int k in 0..256", &["2:16: a range of more than 256 values"]);
    local(
        "int k in 0..15, j in 0..16",
        &["2:23: the locals have more than 256 combinations of values"],
    );
    local("int k in 0..3 = 4", &["2:23: the initial value is not in the range"]);
    local("int k in 0..3 = x", &["2:23: an initial value must be a constant"]);
    local("bool k in 0..1", &["2:17: only an integer has a range"]);
    local("bool x", &["2:12: the local `x` hides a global, procedure or thread of that name"]);
    refused(
        "local int k in 0..255;\ninitial node n; edge n -> n;",
        &["3:1: an abstract thread of more than 50000 edges"],
    );
    local("bool k, k", &["2:15: `k` is declared twice"]);
    local("lock l", &["2:12: a local lock"]);
}

#[test]
fn wrong_use_of_abstractions() {
    let thread = "thread t abstracts W { assume(true); }";
    check(thread, &["1:20: there is no abstract thread `W`"]);
    check(
        "abstract W { initial node a; } thread t { assume(true); }",
        &["1:10: no thread has the abstraction `W`"],
    );
    check(
        &format!(
            "abstract W abstracts V {{ initial node a; }} abstract V abstracts W {{ initial node a; }} {thread}"
        ),
        &["1:10: `W` abstracts itself"],
    );
    check(
        &format!("abstract W {{ initial node a; }} abstract W {{ initial node a; }} {thread}"),
        &["1:10: no thread has the abstraction `W`", "1:41: `W` is declared twice"],
    );
    // The label is in two threads, of which one is abstracted.
    check(
        "global int x; abstract W { initial node a; }\n\
         thread t[*] abstracts W { x = 1; l: x = 2; }\n\
         thread u[*] { x = 1; l: assert(count(l) <= x); }\n",
        &["3:38: `t` is abstracted: its threads cannot be counted"],
    );
}
