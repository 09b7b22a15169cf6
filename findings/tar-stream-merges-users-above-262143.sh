#!/usr/bin/env bash
# tar-stream 3.2.2 (npm) writes and reads tar archives; tar-fs and others of npm archive folders with it. The field for
# an owner has room for 7 octal digits, of which tar-stream uses 6, and what is larger than 262143 it writes as 262143:
# all such users, and all such groups, are one afterwards. The third range of users for containers that useradd gives
# out from 100000 on reaches beyond that. Times go through 32 bits with a sign: a file of June 2040 is one of March
# 2242, and one of June 2300 of March 2028. Of 1965 it writes a negative number in octal, which it reads back, but GNU
# tar takes for a year long before all others. pax headers, which tar-stream writes for long names, would hold all of
# that. Nothing is said, and nothing fails.
#
# Seen, in the archive as GNU tar lists it:
#   262143 as 262143, 262144 as 262143, 1000000 as 262143
#   2020-06-01 as 2020-06-01, 2040-06-01 as 2242-03-16, 2300-06-01 as 2028-03-17, 1965-06-01 as no year of four digits
#   tar-stream reads the same owners, and 2242-03-16 for 2040-06-01
#
# Needs node with npm, and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-fund --no-audit --prefix "$dir" tar-stream@3.2.2 >/dev/null 2>&1
export TZ=UTC

cat >write.js <<'END'
const fs = require("fs"), tar = require("tar-stream");

const pack = tar.pack();
for (const id of [262143, 262144, 1000000])
    pack.entry({ name: `${id}`, uid: id, gid: id, mtime: new Date("2020-06-01") }, "x");
for (const day of ["2020-06-01", "2040-06-01", "2300-06-01", "1965-06-01"])
    pack.entry({ name: day, mtime: new Date(day) }, "x");
pack.finalize();
pack.pipe(fs.createWriteStream("archive"));
END
cat >read.js <<'END'
const fs = require("fs"), tar = require("tar-stream");

const extract = tar.extract();
extract.on("entry", (header, stream, next) => {
    console.log(header.name, header.uid, header.mtime.toISOString().slice(0, 10));
    stream.on("end", next);
    stream.resume();
});
fs.createReadStream("archive").pipe(extract);
END
node write.js
tar --numeric-owner -tvf archive >listed 2>/dev/null
node read.js >read

owners=$(awk '$NF ~ /^[0-9]+$/ {
    split($2, owner, "/")
    printf "%s%s as %s", comma, $NF, owner[1]
    comma = ", "
}' listed)
times=$(awk '$NF ~ /-/ {
    told = $4 ~ /^[0-9][0-9][0-9][0-9]-/ ? $4 : "no year of four digits"
    printf "%s%s as %s", comma, $NF, told
    comma = ", "
}' listed)
same=$([ "$(awk '$1 ~ /^[0-9]+$/ && $2 == 262143' read | wc -l)" = 3 ] && echo "the same" || echo other)
seen="$owners
$times
tar-stream reads $same owners, and $(sed -n 's/^2040-06-01 0 //p' read) for 2040-06-01"
echo "$seen"
[ "$seen" = '262143 as 262143, 262144 as 262143, 1000000 as 262143
2020-06-01 as 2020-06-01, 2040-06-01 as 2242-03-16, 2300-06-01 as 2028-03-17, 1965-06-01 as no year of four digits
tar-stream reads the same owners, and 2242-03-16 for 2040-06-01' ] || { echo "this has changed"; exit 1; }
