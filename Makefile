# The verbs that a person needs. `make demo` and `make test` install what they need.
.PHONY: setup solvers build demo test arena dropped-rules random mutants compare oracles carcara code-mutants fuzz fuzz-build cost hostile sanitize coverage bench lint package deny trusted

setup:
	./setup.sh

build: setup
	cargo build --release

demo: build
	target/release/threadproof prove corpus/thread_pool.tp --threads 1 -o target/thread_pool.cert
	target/release/threadproof lower corpus/thread_pool.tp > target/thread_pool.core
	target/release/threadproof-check target/thread_pool.core target/thread_pool.cert

# The solvers that judge exported obligations: z3 and cvc5.
solvers: setup
	./setup.sh cvc5

# The tests run the binaries, and fail where these are missing or old.
test: solvers
	cargo build --workspace --bins
	cargo test --workspace

# Makes corpus/certificates anew.
arena: setup
	cargo build --bins
	cargo test -p threadproof-tests --test arena -- --ignored make

# Leaves out the second checker's rules one by one: the arena has to miss each (some minutes).
dropped-rules:
	python3 tests/reference_checker/dropped_rules.py

# Many random programs against brute force and against the languages' interpreters: PROGRAMS of each kind (a tenth
# of it for conformance, a twentieth for proofs of C programs), from SEED on (some minutes; a night for 100000).
random: setup
	THREADPROOF_RANDOM_PROGRAMS=$${PROGRAMS:-20000} THREADPROOF_RANDOM_SEED=$${SEED:-1} \
	  cargo test --release -p threadproof-tests --test random_programs --test random_abstractions \
	  --test random_sources --test random_verdicts --test random_c -- --nocapture

# Many edits of certificates: of every field in many places, and at random (some minutes).
mutants: build
	THREADPROOF_MUTANTS=$${PLACES:-5} cargo test --release -p threadproof-tests --test matrix -- --nocapture
	THREADPROOF_MUTANTS=$${EDITS:-500} \
	  cargo test --release -p threadproof-tests --test corpus --test abstraction_checkers -- edit mutants --nocapture

# Both checkers on mutants that are guided by where their checks end (MUTANTS of them), on each two faults that can be in
# one certificate, and on unusual tokens and integers; and altered checkers, which have to be noticed (an hour).
compare: setup
	THREADPROOF_COMPARE=$${MUTANTS:-100000} cargo test --release -p threadproof-tests --test comparison -- --nocapture

# All obligations of the corpus, and the proofs that they are met, judged by z3 and cvc5 (some minutes).
oracles: solvers build
	cargo test --release -p threadproof-tests --test oracles -- --include-ignored --skip carcara --nocapture

# The verdicts of Carcara, a checker of Alethe proofs, on exported proofs: CARCARA is the path of its program.
carcara: solvers build
	CARCARA=$(CARCARA) cargo test --release -p threadproof-tests --test oracles -- --ignored carcara --nocapture

# Tools for developers, built already: tools/fetch.sh.
.tools/%: tools/fetch.sh
	tools/fetch.sh $*

# Needs a C++ compiler, for libFuzzer.
fuzz-build: setup .tools/cargo-fuzz
	cd fuzz && ../.tools/cargo-fuzz build --sanitizer none --fuzz-dir . --target-dir ../target/fuzz

# Each target (or TARGETS) for MINUTES, by default one; what makes trouble goes to corpus/fuzz.
fuzz: fuzz-build
	tools/fuzz.sh $(TARGETS)

# What checks cost, against the work that they charge: each list of the format and of the core form at two lengths, alone
# and in pairs (some minutes); WORDS choose shapes by their names.
cost:
	cargo bench -p threadproof-checker --bench cost -- $(WORDS)

# What hostile files of MIB MiB cost at most: seconds and memory (half an hour; up to 14 GiB of memory).
hostile:
	cargo bench -p threadproof-checker --bench cost -- hostile $${MIB:-256} $(WORDS)

# Tests of the trusted crates with AddressSanitizer (some minutes): what is not safe there is in other people's crates.
# Without those of checker/tests/memory.rs, which bound the address space: the sanitizer needs terabytes of it.
HOST := $(shell rustc -vV | sed -n 's/^host: //p')
sanitize:
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address cargo test --target $(HOST) --target-dir target/sanitize \
	  -p threadproof-format -p threadproof-checker -- --skip are_not_kept

# Lines of the trusted crates that their own tests run: 95% at least (some minutes; needs Debian's llvm-19).
coverage: setup .tools/cargo-llvm-cov
	tools/coverage.sh

# Edits of the trusted crates' code: their tests have to miss none but those of .cargo/mutants.toml, which says why (some
# hours). Exit code 3: a test did not end, so it noticed.
code-mutants: .tools/cargo-mutants
	CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0 .tools/cargo-mutants mutants --no-shuffle -o target || [ $$? = 3 ]

bench: build
	cargo bench -p threadproof-producer --bench corpus

lint: setup
	cargo fmt --check
	cargo fmt --check --manifest-path fuzz/Cargo.toml
	tools/comments.sh
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy -p threadproof-checker --lib --bins -- -D warnings
	tools/metered.sh
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# The crates that others can use, as they would be published, which nothing here does: built from their packages alone,
# without the feature `unstable`.
package:
	tools/package.sh

# Licences, sources and dependencies that only some crates may have.
deny: .tools/cargo-deny
	.tools/cargo-deny check licenses bans sources

# Lines of the trusted crates without tests, comments and blanks.
trusted:
	@tools/trusted_lines.sh
