//! Lets the targets find the z3 library that `setup.sh` fetched, and the C++ library that libFuzzer
//! needs.

use std::path::Path;

fn main() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.z3/z3/lib");
    let library = library.canonicalize().expect("z3 is not in .z3/: run ./setup.sh first");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", library.display());
    println!("cargo:rustc-link-arg=-lstdc++");
}
