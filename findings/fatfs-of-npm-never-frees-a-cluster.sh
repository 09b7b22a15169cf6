#!/usr/bin/env bash
# fatfs 0.10.8 (npm) reads and writes a FAT without mounting it. To write a file anew it truncates it first, and marks
# the clusters that are no longer needed as free. It makes that mark as it makes all others, as an offset from the top
# of the range (0xFFFF for the end of a chain), but free is 0 and not 0xFF00. Expected: a cluster that was freed can be
# used again. The clusters stay taken, by nobody, and point to a cluster that the disk does not have. A log of 200 kB
# that is written anew fills a disk of 2 MB with the eleventh time, and mtools does not read that disk any more. The
# kept cluster still points to the next one, too. Its page names two FATs that differ as known, but not this.
#
# Seen, of a FAT16 with a file of 100000 bytes that was written anew with 5:
#   fatfs reads 5 bytes; fsck.fat: 48 clusters point out of the disk
#   first entries of the FAT, from cluster 2 on: 0003 ff00 ff00 ff00
# Seen, of a FAT12 of 2 MB with one file of 200000 bytes, written again and again:
#   time 11: NOSPC; mdir ends with 1
#
# Needs node with npm, and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq dosfstools=4.2-1 mtools=4.0.33-1+really4.0.32-1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
npm install --silent --no-fund --no-audit --prefix "$dir" fatfs@0.10.8 >/dev/null 2>&1

cat >write.js <<'END'
const fs = require("fs"), { promisify } = require("util"), fatfs = require("fatfs");

const [image, size, times] = process.argv.slice(2);
const fd = fs.openSync(image, "r+");
const disk = {
    sectorSize: 512,
    numSectors: fs.fstatSync(fd).size / 512,
    readSectors: (at, data, done) => fs.read(fd, data, 0, data.length, at * 512, error => done(error)),
    writeSectors: (at, data, done) => fs.write(fd, data, 0, data.length, at * 512, error => done(error)),
};
const files = fatfs.createFileSystem(disk);
const write = promisify(files.writeFile.bind(files)), read = promisify(files.readFile.bind(files));
files.on("ready", async () => {
    for (let time = 1; time <= Number(times); time++) {
        try {
            await write("/log", Buffer.alloc(Number(size), "x"));
        } catch (error) {
            return console.log(`time ${time}: ${error.code}`);
        }
    }
    await write("/log", Buffer.from("short"));
    console.log(`fatfs reads ${(await read("/log")).length} bytes`);
});
END
image() {
    truncate -s "$1" "$2"
    package/sbin/mkfs.fat -F "$3" "$2" >/dev/null
}
image 32M once 16
image 2M often 12
written=$(node --no-deprecation write.js once 100000 1)
filled=$(node --no-deprecation write.js often 200000 20)

out=$(package/sbin/fsck.fat -n once | grep -c 'out of range') || true
# Behind the reserved sectors, whose number is at byte 14 of the first; the entries 0 and 1 are no clusters.
reserved=$(od -An -j 14 -N 2 -t u2 once)
entries=$(od -An -j "$((reserved * 512 + 4))" -N 8 -t x2 once)
status=0
package/usr/bin/mdir -i often :: >/dev/null 2>&1 || status=$?
seen="$written; fsck.fat: $out clusters point out of the disk
first entries of the FAT, from cluster 2 on:$entries
$filled; mdir ends with $status"
echo "$seen"
[ "$seen" = 'fatfs reads 5 bytes; fsck.fat: 48 clusters point out of the disk
first entries of the FAT, from cluster 2 on: 0003 ff00 ff00 ff00
time 11: NOSPC; mdir ends with 1' ] || { echo "this has changed"; exit 1; }
