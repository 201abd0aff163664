//! What the translation assumes of a program, as the claim states it.

use crate::frontend::c::check::{Options, stated};

/// What the translation takes for granted of this program.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Assumed {
    pub overflow: bool,
    pub narrowing: bool,
    pub bounds: bool,
    pub pointers: bool,
    pub addresses: bool,
    pub success: bool,
    pub joins: bool,
    pub memory: bool,
    pub copies: bool,
    pub same_object: bool,
    pub locks: bool,
}

/// What the translation takes for granted.
pub(crate) fn assumptions(assumed: &Assumed, options: &Options) -> Vec<String> {
    let mut out = vec![
        "memory is sequentially consistent, and each read or write of a shared variable is one atomic step".to_owned(),
        "operands and arguments are evaluated from left to right, and a value before the place that it is assigned to".to_owned(),
        format!("the data model is {}, and char is signed", options.data_model.name()),
    ];
    out.extend(stated(&options.checks));
    let mut add = |holds: bool, text: &str| out.extend(holds.then(|| text.to_owned()));
    add(assumed.overflow, "no signed integer overflow happens");
    add(assumed.narrowing, "a conversion to a signed type that is too narrow wraps");
    add(assumed.bounds, "array indices are in bounds");
    add(assumed.pointers, "pointers that are used point to an object or function of their type");
    add(
        assumed.addresses,
        "no number that is converted to a pointer, or from one, is the address of an object or function, or beyond",
    );
    add(assumed.success, "a thread that is created starts: there is no failure to create one");
    add(
        assumed.joins,
        "what pthread_join gets is a thread that has been created, is joined once and is not detached",
    );
    add(
        assumed.same_object,
        "pointers that are subtracted or compared by order point into the same object",
    );
    add(assumed.copies, "a structure is copied member by member, in their order");
    add(
        assumed.memory,
        "memory can be allocated whenever it is asked for, and is not used when it has been freed",
    );
    add(assumed.locks, "unlock frees a lock whoever holds it");
    out
}
