#!/usr/bin/env bash
# The checker's types see to it that all work charges itself (format/src/work): it compiles where lists, tables, names
# and integers are opaque, and code that does not charge (checker/tests/uncharged.rs) has an error in each line there.
set -euo pipefail
cd "$(dirname "$0")/.."
export RUSTFLAGS="--cfg threadproof_metered" CARGO_TARGET_DIR=target/metered
cargo clippy -p threadproof-checker --lib -- -D warnings
if grep -rnE '\{[^}"]*:#?\?\}' checker/src; then
  echo "printed by all that it has, and not charged" >&2
  exit 1
fi
uncharged=checker/tests/uncharged.rs
said=$(cargo check -p threadproof-checker --test uncharged --message-format short 2>&1 || true)
refused=$(sed -n "s|^$uncharged:\([0-9]*\):[0-9]*: error.*|\1|p" <<< "$said" | sort -nu)
wanted=$(grep -n '// refused$' "$uncharged" | cut -d: -f1)
if [ "$refused" != "$wanted" ]; then
  echo "lines of $uncharged that should be refused and are not (<), or the other way round (>):" >&2
  diff <(echo "$wanted") <(echo "$refused") >&2
fi
