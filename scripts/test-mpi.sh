#!/usr/bin/env bash
# Real ranks under mpirun. Where MPI cannot be had that is said, and nothing fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
status=0
scripts/mpi.sh tools || status=$?
if [ "$status" -eq 3 ]; then
    echo "skipped: test-mpi: there is no MPI on this machine, and it cannot be installed"
    exit 0
fi
[ "$status" -eq 0 ] || exit "$status"
# Of the whole workspace, as `make test` builds it: with -p, dependencies have other features, and all is built again.
cargo test --locked --workspace --features assay-mpi/mpi --test mpi -- --nocapture --test-threads 1
