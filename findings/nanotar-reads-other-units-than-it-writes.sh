#!/usr/bin/env bash
# nanotar 0.3.0 (npm) reads tar archives with `parseTar` into the same objects that `createTar` writes. Expected: what
# is read and written again stays the same. But the reader gives an mtime in seconds and the writer takes milliseconds,
# so each file of today is from January 1970 afterwards. The reader takes the octal digits of an owner for decimal ones
# (user 1000 is 1750, also in the example of its page), and the writer stores 1750. An empty file is read without data,
# and the writer makes a directory of what has no data. Nothing is said, and nothing fails.
#
# Seen, as GNU tar lists the archive before and after:
#   full: file of user 1000 of 2026-05-04, then file of user 1750 of 1970-01-21
#   empty: file of user 1000 of 2026-05-04, then directory of user 1750 of 1970-01-21
#
# Needs node with npm, and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-fund --no-audit --prefix "$dir" nanotar@0.3.0 >/dev/null 2>&1
export TZ=UTC

mkdir tree
echo hello >tree/full
: >tree/empty
tar --format=ustar --owner=user:1000 --group=user:1000 --mtime=2026-05-04 -cf before.tar -C tree full empty
cat >copy.mjs <<'END'
import fs from "fs";
import { createTar, parseTar } from "nanotar";

fs.writeFileSync("after.tar", createTar(parseTar(new Uint8Array(fs.readFileSync("before.tar")))));
END
node copy.mjs

entry() {
    tar --numeric-owner -tvf "$1" "$2" | awk '{
        split($2, owner, "/")
        print (/^d/ ? "directory" : "file") " of user " owner[1] " of " $4
    }'
}
seen="full: $(entry before.tar full), then $(entry after.tar full)
empty: $(entry before.tar empty), then $(entry after.tar empty)"
echo "$seen"
[ "$seen" = 'full: file of user 1000 of 2026-05-04, then file of user 1750 of 1970-01-21
empty: file of user 1000 of 2026-05-04, then directory of user 1750 of 1970-01-21' ] || {
    echo "this has changed"
    exit 1
}
