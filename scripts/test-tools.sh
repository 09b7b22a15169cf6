#!/usr/bin/env bash
# Installs what only tests use and the system's package manager does not have: Python packages, and the
# object store of `assay doctor --install`, into the folder $1 and the cache of assay. What cannot be had is named, and
# the tests that need it are skipped.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools=$1
mkdir -p "$tools/bin"
log=$tools/install.log
: >"$log"

# get WHAT COMMAND...: runs the command, and names WHAT when it fails.
get() {
    local what=$1
    shift
    echo "test-tools: installing $what"
    "$@" >>"$log" 2>&1 && return
    echo "test-tools: $what could not be installed: $(tail -n 1 "$log")"
}

python_has() {
    "$tools/bin/python3" -c "import $1" 2>/dev/null
}

python_has pip || get "a Python environment" /usr/bin/python3 -m venv "$tools"
for package in pandas pyarrow duckdb uv; do
    python_has "$package" || get "the Python package $package" "$tools/bin/python3" -m pip install --quiet "$package"
done
# What is built from source takes ten minutes and more, which are not CI's to spend.
if [ -n "${CI-}" ]; then
    echo "test-tools: in CI nothing is built: no versitygw, where it is not there already"
    exit 0
fi
if command -v go >/dev/null; then
    # As the tests build it, so that nothing is built twice.
    get "the program" cargo build --quiet --locked --workspace
    get "versitygw, where it is not built yet" target/debug/assay doctor --install versitygw
else
    echo "test-tools: versitygw could not be built: there is no go"
fi
