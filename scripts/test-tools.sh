#!/usr/bin/env bash
# Installs what only tests use and the system's package manager does not have: Python packages, cargo's packagers, and
# the object store of `assay doctor --install`, into the folder $1 and the cache of assay. What cannot be had is named, and
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
for packager in cargo-deb cargo-generate-rpm; do
    command -v "$packager" >/dev/null || [ -x "$tools/bin/$packager" ] ||
        get "$packager" cargo install --quiet --locked --root "$tools" "$packager"
done
if command -v go >/dev/null; then
    get "versitygw, where it is not built yet" cargo run --quiet --locked -p assay -- doctor --install versitygw
else
    echo "test-tools: versitygw could not be built: there is no go"
fi
