#!/usr/bin/env bash
# Fetches the z3 library that matches the z3 crate's bindings into .z3/ of this checkout:
# no root, no C++ compiler, and never the system's own (older) libz3. Does nothing when it is there.
set -euo pipefail
cd "$(dirname "$0")"
version=5.3.3.0
case "$(uname -m)" in
  x86_64)  platform=manylinux_2_27_x86_64
           hash=0431023a82278dab706c02a320f63178ee0755fb8f10a5c980f0bfe3c84f6f96 ;;
  aarch64) platform=manylinux_2_38_aarch64
           hash=701619d4995695819e150e9fa10218b67a5a2241868f31dddccfe2d3fe15f986 ;;
  *) echo "setup: no z3 wheel is known for $(uname -m)" >&2; exit 1 ;;
esac
marker=.z3/$hash
[ -e "$marker" ] && exit 0
rm -rf .z3
mkdir -p .z3
echo "z3-solver==$version --hash=sha256:$hash" > .z3/requirements.txt
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
  --platform "$platform" --require-hashes -r .z3/requirements.txt -d .z3
python3 -m zipfile -e .z3/z3_solver-*.whl .z3
rm .z3/z3_solver-*.whl
cat > .z3/z3.pc <<P
Name: z3
Description: The z3 solver, from its PyPI wheel
Version: $version
Libs: -L\${pcfiledir}/z3/lib -lz3
Cflags: -I\${pcfiledir}/z3/include
P
touch "$marker"
