#!/usr/bin/env bash
# iso9660 0.4.0 (Go module github.com/kdomanski/iso9660) writes images of CDs, e.g. to hand files to a virtual machine.
# Its documentation says that names are changed to what such an image allows: letters become small, other characters
# become `_`, and what is longer than 28 characters is cut. Expected: two files stay two, or the second is refused. It
# writes the second over the first where both names become one: of results that are called by date, host and test the
# first is gone, and of README and readme. No call returns an error. The time of each file is the zero time of Go, of
# the year 1, of which the byte for the year keeps the rest: the first day of 2049. What is copied from the image is
# newer than all that will be made of it for years, so make always builds that again.
#
# Seen, of 6 files that were added, as isoinfo of genisoimage 9:1.1.11-3.4 (Debian 12) lists them:
#   2026-12-01-server1-rand.json has 2026-12-01-server1-randwrite-4k.json, Jan 1 2049
#   a_b.txt has a#b.txt, Jan 1 2049
#   notes has notes, Jan 1 2049
#   readme has readme, Jan 1 2049
#
# Needs go and no root. Leaves nothing but what go keeps in its caches.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq genisoimage=9:1.1.11-3.4 >/dev/null 2>&1
dpkg -x genisoimage*.deb package

cat >go.mod <<'END'
module write
go 1.24
END
cat >write.go <<'END'
package main

import (
	"os"
	"strings"

	"github.com/kdomanski/iso9660"
)

// Makes an image of files that hold their own names: `image NAME...`.
func main() {
	writer, err := iso9660.NewWriter()
	check(err)
	for _, name := range os.Args[2:] {
		check(writer.AddFile(strings.NewReader(name), name))
	}
	image, err := os.Create(os.Args[1])
	check(err)
	check(writer.WriteTo(image, "results"))
	check(image.Close())
	check(writer.Cleanup())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
END
go get github.com/kdomanski/iso9660@v0.4.0 >log 2>&1 || { cat log; exit 1; }
go build -o write . >log 2>&1 || { cat log; exit 1; }
./write image 2026-12-01-server1-randread-4k.json 2026-12-01-server1-randwrite-4k.json README readme notes 'a#b.txt'

# `MODE ... SIZE MONTH DAY YEAR [SECTOR FLAGS] NAME;1` of each file.
package/usr/bin/isoinfo -l -i image | sed -nE 's/^-.* ([A-Z][a-z]+ +[0-9]+ [0-9]+) \[.*\] +(.*);1 *$/\2 \1/p' |
    while read -r name month day year; do
        echo "$name has $(package/usr/bin/isoinfo -i image -x "/$name;1"), $month $day $year"
    done >seen
cat seen
[ "$(cat seen)" = '2026-12-01-server1-rand.json has 2026-12-01-server1-randwrite-4k.json, Jan 1 2049
a_b.txt has a#b.txt, Jan 1 2049
notes has notes, Jan 1 2049
readme has readme, Jan 1 2049' ] || { echo "this has changed"; exit 1; }
