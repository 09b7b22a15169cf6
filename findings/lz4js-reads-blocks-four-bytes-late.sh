#!/usr/bin/env bash
# lz4js 0.2.0 (npm) packs and unpacks LZ4 frames. A frame may have a checksum behind each block (`lz4 -BX`), which a bit
# of its header tells, and a file may be several frames, one behind the other, as `cat` joins two and as logs grow.
# Expected: what `lz4 -d` gives. lz4js skips the four bytes of the checksum before the block instead of behind it, and
# unpacks from the fifth byte on: the content is another one from its first byte to its end, and has another length. It
# checks no checksum. Of several frames it unpacks the first: the rest is not there. Both come back as a whole file, and
# nothing is raised. lz4 1.9.4-1 (Debian 12) tests all three as intact:
#
# Seen, of a file of 28893 bytes:
#   one frame: 28893 bytes, all of the file
#   one frame with checksums of blocks: 29228 bytes, something else
#   two frames: 13893 bytes, the start of the file
#
# Needs node with npm, and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq lz4=1.9.4-1 liblz4-1=1.9.4-1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
lz4() { LD_LIBRARY_PATH=$dir/package/usr/lib/$(uname -m)-linux-gnu package/usr/bin/lz4 -q "$@"; }
npm install --silent --no-fund --no-audit --prefix "$dir" lz4js@0.2.0 >/dev/null 2>&1

seq 1 3000 >first
seq 3001 6000 >second
cat first second >file
lz4 file plain.lz4
lz4 -BX file checked.lz4
lz4 first first.lz4
lz4 second second.lz4
cat first.lz4 second.lz4 >joined.lz4
for packed in plain checked joined; do lz4 -t "$packed.lz4"; done

cat >unpack.js <<'END'
const fs = require("fs"), lz4 = require("lz4js");

const file = fs.readFileSync("file");
const frames = { plain: "one frame", checked: "one frame with checksums of blocks", joined: "two frames" };
for (const [name, said] of Object.entries(frames)) {
    const data = Buffer.from(lz4.decompress(fs.readFileSync(`${name}.lz4`)));
    const common = Math.min(data.length, file.length);
    let is = "something else";
    if (data.subarray(0, common).equals(file.subarray(0, common)))
        is = data.length < file.length ? "the start of the file" : "all of the file";
    console.log(`${said}: ${data.length} bytes, ${is}`);
}
END
node unpack.js >seen
cat seen
[ "$(cat seen)" = 'one frame: 28893 bytes, all of the file
one frame with checksums of blocks: 29228 bytes, something else
two frames: 13893 bytes, the start of the file' ] || { echo "this has changed"; exit 1; }
