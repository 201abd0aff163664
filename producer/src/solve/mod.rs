//! What the engines ask of z3.

pub mod encode;

/// The z3 that the bindings were made for.
const VERSION: &str = "5.3.3";

/// Makes z3 ready for this process: asserts its version, and leaves Ctrl-C to the caller.
///
/// # Errors
/// If another z3 was loaded than the one that `setup.sh` fetches.
pub fn start() -> Result<(), String> {
    // z3 would otherwise catch an interrupt during a check, and the run would go on.
    z3::set_global_param("ctrl_c", "false");
    let found = z3::full_version();
    if found.contains(VERSION) {
        Ok(())
    } else {
        Err(format!("z3 {VERSION} is needed, but {found} was loaded: run ./setup.sh"))
    }
}
