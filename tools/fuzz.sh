#!/usr/bin/env bash
# Fuzzes each target (or those that are named) for MINUTES: from the programs and certificates of the corpus on, and
# from what earlier runs kept in target/fuzz/kept. What makes trouble is stored in corpus/fuzz, which the tests read.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- decode core_form tp c check cost
for target in "$@"; do
  case "$target" in
    decode | check | cost) suffix=cert ;;
    core_form) suffix=core ;;
    tp | c) suffix=$target ;;
    *) echo "fuzz: there is no target $target" >&2; exit 1 ;;
  esac
  seeds=target/fuzz/seeds/$target kept=target/fuzz/kept/$target
  rm -rf "$seeds"
  mkdir -p "$seeds" "$kept" corpus/fuzz
  find corpus -name "*.$suffix" -exec cp -t "$seeds" {} +
  find corpus/fuzz -type f -exec cp -t "$seeds" {} +
  # The corpus is held in memory: in an hour some gigabytes. What one input holds is bounded by itself.
  # Costs are about size: inputs may be as long as lengthened ones get, from the start.
  longer=()
  [ "$target" != cost ] || longer=(-max_len=262144 -len_control=0)
  echo "fuzz $target: $(find "$seeds" -type f | wc -l) seeds"
  "target/fuzz/$(uname -m)-unknown-linux-gnu/release/$target" "$kept" "$seeds" -artifact_prefix="corpus/fuzz/$target-" \
    -max_total_time=$((60 * ${MINUTES:-1})) -timeout=60 -rss_limit_mb=10000 -malloc_limit_mb=2048 -report_slow_units=60 -print_final_stats=1 -verbosity=0 \
    "${longer[@]}"
done
