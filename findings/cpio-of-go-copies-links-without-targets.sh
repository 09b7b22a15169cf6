#!/usr/bin/env bash
# cpio 1.0.1 (Go module github.com/cavaliergopher/cpio) reads and writes cpio archives, as the initial file system of
# Linux and the payload of an RPM are. Expected: an archive that is read and written entry by entry stays the same. The
# reader takes the target of a symbolic link out of the data, puts it into `Linkname`, and sets the size to 0. The
# writer has the same field, and does not write it: each link is written with an empty target, and GNU cpio cannot make
# it. The numbers of a device are read by neither: /dev/console, without which the kernel shows nothing that is started
# first, is device 0, 0 in the copy. No call returns an error. Listed by GNU cpio 2.13+dfsg-7.1 (Debian 12):
#
# Seen:
#   console: device 5, 1, then 0, 0
#   init: link to bin/busybox, then to nothing
#   motd: 8 bytes, then 8
#
# Needs go, python3, and no root. Leaves nothing but what go keeps in its caches.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq cpio=2.13+dfsg-7.1 >/dev/null 2>&1
dpkg -x cpio*.deb package

# An archive with a device, which only root could make as a file.
python3 - <<'END'
def entry(name, mode, data=b"", device=(0, 0)):
    name = name.encode() + b"\0"
    fields = [entry.inode, mode, 0, 0, 1, 1777863721, len(data), 0, 0, *device, len(name), 0]
    entry.inode += 1
    header = b"070701" + b"".join(b"%08X" % field for field in fields) + name
    return header + bytes(-len(header) % 4) + data + bytes(-len(data) % 4)


entry.inode = 1
with open("before", "wb") as archive:
    archive.write(entry("console", 0o20600, device=(5, 1)) + entry("init", 0o120777, b"bin/busybox") +
                  entry("motd", 0o100644, b"welcome\n") + entry("TRAILER!!!", 0))
END
cat >go.mod <<'END'
module copy
go 1.24
END
cat >copy.go <<'END'
package main

import (
	"io"
	"os"

	"github.com/cavaliergopher/cpio"
)

func main() {
	reader, writer := cpio.NewReader(os.Stdin), cpio.NewWriter(os.Stdout)
	for {
		header, err := reader.Next()
		if err == io.EOF {
			break
		}
		check(err)
		check(writer.WriteHeader(header))
		_, err = io.Copy(writer, reader)
		check(err)
	}
	check(writer.Close())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
END
go get github.com/cavaliergopher/cpio@v1.0.1 >log 2>&1 || { cat log; exit 1; }
go run . <before >after

listed() { package/bin/cpio --quiet -itv <"$1" | sed -n "$2"; }
device='s/^c.* \([0-9]*, *[0-9]*\) .* console$/\1/p'
target='s/^l.* init -> *//p'
size='s/^-.* root  *\([0-9]*\) .* motd$/\1/p'
to=$(listed after "$target")
seen="console: device $(listed before "$device"), then $(listed after "$device")
init: link to $(listed before "$target"), then to ${to:-nothing}
motd: $(listed before "$size") bytes, then $(listed after "$size")"
seen=$(tr -s ' ' <<<"$seen")
echo "$seen"
[ "$seen" = 'console: device 5, 1, then 0, 0
init: link to bin/busybox, then to nothing
motd: 8 bytes, then 8' ] || { echo "this has changed"; exit 1; }
