#!/bin/sh
# Builds the release program as one static file and prints its path. A static file runs on any
# distribution of the same processor, also on one whose C library is older.
set -eu
cd "$(dirname "$0")/.."

host=$(rustc -vV | sed -n 's/^host: //p')
# With --target the flags reach the program alone; procedural macros cannot be static.
RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static" \
    cargo build --release --locked --target "$host" -p assay >&2

program="${CARGO_TARGET_DIR:-target}/$host/release/assay"
if ! LC_ALL=C ldd "$program" 2>&1 | grep -Eq 'statically linked|not a dynamic executable'; then
    echo "build: $program is not static:" >&2
    ldd "$program" >&2
    exit 1
fi
echo "$program"
