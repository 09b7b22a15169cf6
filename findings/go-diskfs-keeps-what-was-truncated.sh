#!/usr/bin/env bash
# go-diskfs 1.9.4 (Go module) makes disk images and writes files into them without root; image builders use it. In an
# ext4 it opens a file with os.O_TRUNC as if that flag were not there: 10 bytes written over a file of 3000 leave its
# other 2990, and a configuration that is written anew ends with the old one. In a FAT the flag works. Remove takes the
# name of a file away and marks its blocks as free, but leaves its inode, with a link and its blocks: the next file gets
# blocks of the removed one, and for e2fsck of e2fsprogs 1.47.0 both have them, with an image that was written without
# an error. No call returns one.
#
# Seen:
#   config of 3000 bytes, written anew with 10: ext4 has 3000 bytes, 10 of them new; e2fsck ends with 0
#   removed a file, wrote another: e2fsck ends with 4, 5 blocks in 2 inodes, 1 inode without a name
#
# Needs go and no root. Leaves nothing but what go keeps in its caches.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq e2fsprogs=1.47.0-2+b2 libext2fs2=1.47.0-2+b2 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
libs=$dir/package/lib/$(uname -m)-linux-gnu

cat >go.mod <<'END'
module write
go 1.24
END
cat >write.go <<'END'
package main

import (
	"os"

	"github.com/diskfs/go-diskfs"
	"github.com/diskfs/go-diskfs/disk"
	"github.com/diskfs/go-diskfs/filesystem"
)

// Makes an image: `image [remove]`.
func main() {
	image, err := diskfs.Create(os.Args[1], 64<<20, diskfs.SectorSizeDefault)
	check(err)
	files, err := image.CreateFilesystem(disk.FilesystemSpec{FSType: filesystem.TypeExt4})
	check(err)
	write := func(path string, flags int, letter byte, size int) {
		file, err := files.OpenFile(path, flags|os.O_CREATE|os.O_RDWR)
		check(err)
		data := make([]byte, size)
		for at := range data {
			data[at] = letter
		}
		_, err = file.Write(data)
		check(err)
		check(file.Close())
	}
	write("/config", 0, 'o', 3000)
	write("/config", os.O_TRUNC, 'n', 10)
	if len(os.Args) > 2 {
		write("/gone", 0, 'g', 20000)
		check(files.Remove("/gone"))
		write("/next", 0, 'x', 5000)
	}
	check(files.Close())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
END
go get github.com/diskfs/go-diskfs@v1.9.4 >log 2>&1 || { cat log; exit 1; }
go build -o write . >log 2>&1 || { cat log; exit 1; }
./write plain
./write removed remove

e2fsck() {
    local status=0
    LD_LIBRARY_PATH=$libs package/sbin/e2fsck -fn "$1" >"$1.said" 2>&1 || status=$?
    echo "e2fsck ends with $status"
}
LD_LIBRARY_PATH=$libs package/sbin/debugfs -R "cat config" plain 2>/dev/null >config
checked=$(e2fsck plain)
removed=$(e2fsck removed)
# `Multiply-claimed block(s) in inode N: FIRST--LAST`, once for each inode.
shared=$(sed -n 's/^Multiply-claimed block(s) in inode [0-9]*: //p' removed.said | sort | uniq -c |
    awk '{ split($2, range, "--"); print range[2] - range[1] + 1 " blocks in " $1 " inodes" }')
new=$(tr -d o <config | wc -c)
seen="config of 3000 bytes, written anew with 10: ext4 has $(wc -c <config) bytes, $new of them new; $checked
removed a file, wrote another: $removed, $shared, $(grep -c '^Unattached inode' removed.said) inode without a name"
echo "$seen"
[ "$seen" = 'config of 3000 bytes, written anew with 10: ext4 has 3000 bytes, 10 of them new; e2fsck ends with 0
removed a file, wrote another: e2fsck ends with 4, 5 blocks in 2 inodes, 1 inode without a name' ] || {
    echo "this has changed"
    exit 1
}
