#!/usr/bin/env bash
# Which lines of the trusted crates their own tests run: prints a table, and fails below 95%.
# LLVM's tools have to know the compiler's profiles: those of LLVM 19 do (Debian: llvm-19), or LLVM_COV and LLVM_PROFDATA.
set -euo pipefail
cd "$(dirname "$0")/.."
export LLVM_COV=${LLVM_COV:-/usr/lib/llvm-19/bin/llvm-cov}
export LLVM_PROFDATA=${LLVM_PROFDATA:-/usr/lib/llvm-19/bin/llvm-profdata}
export CARGO_LLVM_COV_SETUP=no
for tool in "$LLVM_COV" "$LLVM_PROFDATA"; do
  command -v "$tool" > /dev/null || { echo "coverage: $tool is missing (apt-get install llvm-19)" >&2; exit 1; }
done
.tools/cargo-llvm-cov llvm-cov --fail-under-lines 95 --show-missing-lines \
  --package threadproof-format --package threadproof-checker
