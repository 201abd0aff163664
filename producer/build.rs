//! Lets the binaries find the z3 library that `setup.sh` fetched: in the checkout, wherever the
//! target folder is, and beside a target folder that was moved along with the checkout.

use std::path::Path;

fn main() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.z3/z3/lib");
    println!("cargo:rerun-if-changed={}", library.display());
    assert!(library.exists(), "z3 is not in .z3/: run ./setup.sh first");
    let library = library.canonicalize().expect("a folder that exists");
    for folder in ["$ORIGIN/../../.z3/z3/lib", "$ORIGIN/../../../.z3/z3/lib"] {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", library.display());
}
