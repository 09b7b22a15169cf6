# make run     build, then compare every file system that this machine supports
# make test    formatting, lints, and every test that takes no guest, no long simulation and not the whole machine: minutes
# make test-labs   the other tests: guests, kills, whole suites on real file systems, what needs the whole machine, fuzzing
# make test-tools  the programs that only tests run, where this machine lacks them; make test-labs has them, too
# make test-mpi  real ranks under mpirun, on this host and on network namespaces as hosts; skipped where there is no MPI
# make build   the static program alone; its path is printed
# make dist    tarball, .deb, .rpm, Python wheel and container image, each where its tool is installed
# make mpi     assay-mpi, the same on many hosts under mpirun or srun; installs Open MPI's development files where missing
# make bench   assay beside dd, fio and bare C loops, on BENCH_DIR
# make clean   remove everything built
#
# ARGS are passed on: make run ARGS="--preset smoke --on xfs --on ext4"
# UNITS are beginnings of the names of units of tests: make test UNITS="lab/ assay/e2e::gate"

# A login by ssh does not always read the profile that rustup extends.
export PATH := $(PATH):$(HOME)/.cargo/bin

ARGS ?=
UNITS ?=
BENCH_DIR ?= target/bench
# Open to other users where root runs the tests, as some run programs as others.
TEST_TOOLS ?= $(if $(filter 0,$(shell id -u)),/usr/local/lib,$(or $(XDG_CACHE_HOME),$(HOME)/.cache))/assay-test-tools

.PHONY: run check test test-labs test-tools test-mpi build mpi dist bench clean setup

run: setup
	@program=$$(scripts/build.sh) && \
	if [ "$$(id -u)" -ne 0 ] && command -v sudo >/dev/null; then \
		sudo "$$program" run $(ARGS); \
	else \
		"$$program" run $(ARGS); \
	fi

check: setup
	cargo fmt --all --check
	@# cargo fmt does not follow modules that a registry macro declares.
	rustfmt --edition 2024 --check crates/report/src/sections/*.rs \
		crates/formats/src/importers/*.rs crates/formats/src/export/*.rs $(wildcard crates/suites/src/kinds/*.rs) \
		crates/suites/src/kinds/*/mod.rs
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo test --workspace --locked --doc

# Tests find what test-tools has installed.
test test-labs: export PATH := $(TEST_TOOLS)/bin:$(PATH)

# Where a test belongs is said in xtask/src/test/mod.rs. Each shows its time, and what was skipped and why.
test: check
	cargo run --quiet --locked -p xtask -- test quick $(UNITS)

test-labs: test-tools
	cargo run --quiet --locked -p xtask -- test labs $(UNITS)

test-tools:
	@scripts/setup.sh tests
	@scripts/test-tools.sh $(TEST_TOOLS)

test-mpi: setup
	@scripts/test-mpi.sh

dist: setup
	@scripts/dist.sh

build: setup
	@scripts/build.sh

mpi: setup
	@scripts/mpi.sh

bench: setup
	@ASSAY=$$(scripts/build.sh) bench/all $(BENCH_DIR)

clean:
	cargo clean

setup:
	@scripts/setup.sh
