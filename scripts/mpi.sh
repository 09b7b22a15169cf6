#!/usr/bin/env bash
# Builds assay-mpi and prints its path. It links the MPI of this machine, and is therefore no static program; what its
# build needs is installed where it is missing and where that can be done. Ends with 3 where it cannot. `mpi.sh tools`
# only installs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

has_mpi() {
    command -v mpicc >/dev/null && command -v mpirun >/dev/null && compgen -G "/usr/lib/llvm-*/lib/libclang*.so*" >/dev/null
}

if ! has_mpi; then
    if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
        echo "MPI is missing: install libopenmpi-dev, openmpi-bin and libclang-dev, then run this again" >&2
        exit 3
    fi
    if ! DEBIAN_FRONTEND=noninteractive apt-get install -y -qq libopenmpi-dev openmpi-bin libclang-dev >&2; then
        echo "libopenmpi-dev, openmpi-bin and libclang-dev cannot be installed; is there a network?" >&2
        exit 3
    fi
fi
[ "${1:-}" != tools ] || exit 0
cargo build --quiet --locked --release -p assay-mpi --features mpi >&2
echo "$PWD/target/release/assay-mpi"
