#!/usr/bin/env bash
# Comments fit in 100 columns, which rustfmt does not see to.
set -euo pipefail
cd "$(dirname "$0")/.."
long=$(grep -rnE --include='*.rs' '^.{101,}$' format checker producer tests fuzz --exclude-dir=target |
  grep -E '^[^:]*:[0-9]*:[[:space:]]*//' || true)
[ -z "$long" ] || { echo "comments over 100 columns:"; echo "$long"; exit 1; } >&2
