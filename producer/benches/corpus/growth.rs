//! Families of programs with N increments, to see how time grows with N. Each is safe for the
//! reason its description gives, and a proof has to tell apart N values of a counter or to count
//! threads.

/// Some programs that differ only in N.
pub struct Family {
    /// Name, for the table.
    pub name: &'static str,
    /// What its programs do.
    pub about: &'static str,
    /// The program with N increments.
    pub program: fn(usize) -> String,
}

/// The values of N.
pub const SIZES: [usize; 5] = [5, 10, 20, 30, 50];

/// The families.
pub const FAMILIES: [Family; 4] = [
    Family { name: "line", about: "each thread raises a shared counter N times", program: line },
    Family {
        name: "copy",
        about: "each thread raises a local copy N times, in a lock",
        program: copy,
    },
    Family { name: "forks", about: "a thread lets N of any number of others go", program: forks },
    Family { name: "peers", about: "N single threads with an increment each", program: peers },
];

/// Increments by other threads only help.
fn line(n: usize) -> String {
    let steps = "    x = x + 1;\n".repeat(n);
    format!(
        "global int x;
thread worker[*] {{
    local int seen;
    seen = x;
{steps}    assert(x >= seen + {n});
}}
"
    )
}

/// The counter is never negative.
fn copy(n: usize) -> String {
    let steps = "    mine = mine + 1;\n".repeat(n);
    format!(
        "global int x = 0;
global lock m;
thread worker[*] {{
    local int mine;
    lock(m);
    mine = x;
{steps}    x = mine;
    unlock(m);
    assert(mine >= {n});
}}
"
    )
}

/// Only as many threads get past their first statement as were let go.
fn forks(n: usize) -> String {
    let steps = "    forked = forked + 1;\n".repeat(n);
    format!(
        "global int count = 0;
global int forked = 0;
thread main {{
{steps}    assert(count <= {n});
}}
thread worker[*] {{
    atomic {{ assume(forked > 0); forked = forked - 1; }}
    count = count + 1;
}}
"
    )
}

/// There are no more than N increments.
fn peers(n: usize) -> String {
    format!(
        "global int count = 0;
thread peer[{n}] {{ count = count + 1; }}
thread main {{ assert(count <= {n}); }}
"
    )
}
