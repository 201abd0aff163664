#!/usr/bin/env bash
# Fetches libraries from their PyPI wheels into folders of this checkout: no root, no C++ compiler, and never the system's
# own. `setup.sh z3`: the z3 that matches the z3 crate's bindings, for the prover (.z3/). `setup.sh z3 cvc5`: also cvc5,
# for the tests (.cvc5/). Without arguments z3. What is there already is not fetched again.
set -euo pipefail
cd "$(dirname "$0")"

# Unpacks a wheel: FOLDER PACKAGE VERSION PLATFORM HASH. The libraries in it serve every Python.
fetch() {
  rm -rf "$1"
  mkdir -p "$1"
  echo "$2==$3 --hash=sha256:$5" > "$1/requirements.txt"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --python-version 3.11 --implementation cp --platform "$4" --require-hashes -r "$1/requirements.txt" -d "$1"
  python3 -m zipfile -e "$1"/*.whl "$1"
  rm "$1"/*.whl
}

z3() {
  local version=5.3.3.0 platform hash
  case "$(uname -m)" in
    x86_64)  platform=manylinux_2_27_x86_64
             hash=0431023a82278dab706c02a320f63178ee0755fb8f10a5c980f0bfe3c84f6f96 ;;
    aarch64) platform=manylinux_2_38_aarch64
             hash=701619d4995695819e150e9fa10218b67a5a2241868f31dddccfe2d3fe15f986 ;;
    *) echo "setup: no z3 wheel is known for $(uname -m)" >&2; exit 1 ;;
  esac
  if [ -e ".z3/$hash" ]; then return; fi
  fetch .z3 z3-solver $version $platform $hash
  cat > .z3/z3.pc <<P
Name: z3
Description: The z3 solver, from its PyPI wheel
Version: $version
Libs: -L\${pcfiledir}/z3/lib -lz3
Cflags: -I\${pcfiledir}/z3/include
P
  touch ".z3/$hash"
}

cvc5() {
  local version=1.4.2 platform hash
  case "$(uname -m)" in
    x86_64)  platform=manylinux_2_17_x86_64
             hash=fad09688fd0ee6ef6e8ce81fbf7e2ebaab466bd1b4bd6fefe0dd24ca772d089f ;;
    aarch64) platform=manylinux_2_17_aarch64
             hash=900375f5cd4771a7276f1e9f2fcd06899fae5a959e5abfba5d7c5b804f9da597 ;;
    *) echo "setup: no cvc5 wheel is known for $(uname -m)" >&2; exit 1 ;;
  esac
  if [ -e ".cvc5/$hash" ]; then return; fi
  fetch .cvc5 cvc5 $version $platform $hash
  touch ".cvc5/$hash"
}

for library in "${@:-z3}"; do
  case "$library" in
    z3 | cvc5) "$library" ;;
    *) echo "setup: no library $library" >&2; exit 1 ;;
  esac
done
