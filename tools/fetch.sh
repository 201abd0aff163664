#!/usr/bin/env bash
# Fetches a cargo command that only the project's developers need into .tools/ of this checkout: built already, as a
# PyPI wheel of this version and no other, or where there is none, as a crate that is built here. Does nothing when it
# is there.
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1-} $(uname -m)" in
  "cargo-mutants "*)        version=27.1.0 hash="" ;;
  "cargo-deny x86_64")      version=0.20.2 hash=ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee ;;
  "cargo-deny aarch64")     version=0.20.2 hash=0e42259c537b2432f5655b3413940e899906033354c5838e367c6837b467a141 ;;
  "cargo-fuzz x86_64")      version=0.13.2 hash=612108f626b6ee0e5d63b1a0e257c89c13abffbd8fff539ccbffb7205b33093f ;;
  "cargo-fuzz aarch64")     version=0.13.2 hash=25b65340d3f18c4b18b8f7e54855b64c53e6526864b192d32a189b59ded41198 ;;
  "cargo-llvm-cov x86_64")  version=0.9.1 hash=0fa6a9ea6a58b2af6541d1d9267dc651b8c0b5d90839938a51a47224e169598a ;;
  "cargo-llvm-cov aarch64") version=0.9.1 hash=718e2f635448355e48479808f8c39c7ff7993b7bd0f4ed2e3f86023193ece11b ;;
  *) echo "fetch: no ${1:-tool} is known for $(uname -m)" >&2; exit 1 ;;
esac
marker=.tools/${hash:-$1-$version}
if [ -e "$marker" ]; then touch ".tools/$1"; exit 0; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p .tools
if [ -z "$hash" ]; then
  cargo install --quiet --locked --root "$folder" --version "=$version" "$1"
  install -m 755 "$folder/bin/$1" ".tools/$1"
  touch "$marker"
  exit 0
fi
echo "astral-dev-toolchain-$1==$version --hash=sha256:$hash" > "$folder/requirements.txt"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
  --require-hashes -r "$folder/requirements.txt" -d "$folder"
python3 -m zipfile -e "$folder"/*.whl "$folder"
install -m 755 "$folder"/*.data/scripts/"$1" ".tools/$1"
touch "$marker"
