#!/usr/bin/env bash
# Packages the crates that others can use, as they would be published, which nothing here does, and builds them from
# their packages alone. Cargo keeps the sources and builds of a version of a package for ever, by the path of the
# directory that it comes from; the version of an edited crate is the same. So that directory is a new one each time.
set -euo pipefail
cd "$(dirname "$0")/.."
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cargo package --allow-dirty --target-dir "$directory" -p threadproof-format -p threadproof-checker
