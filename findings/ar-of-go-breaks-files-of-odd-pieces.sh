#!/usr/bin/env bash
# ar (Go module github.com/blakesmith/ar, v0.0.0-20190502131153-809d4375e1fb) reads and writes ar archives, as Debian
# packages and static libraries are. A file of odd length is followed by one byte more in the archive. Expected: how the
# content is handed to the writer does not matter. The writer adds the byte after each `Write` of odd length instead of
# after the file: 10 bytes in two writes of 5 get a byte in their middle and one at their end, the header still says 10,
# and the next header is looked for within the data. Of a file that is written at once it is right, as in its example.
# An owner above 999999 loses its last digit. No call returns an error. Read by its own reader, with a full stop for the
# byte that was added:
#
# Seen, of a file of 10 bytes, abcdefghij, and a second file:
#   written at once: abcdefghij, owner 999999; second file found
#   written as 5 and 5: abcde.fghi, owner 999999; second file lost
#   written as 3 and 7, by user 1000000: abc.defghi, owner 100000; second file lost
#
# Needs go, and no root. Leaves nothing but what go keeps in its caches.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >go.mod <<'END'
module write
go 1.24
END
cat >write.go <<'END'
package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/blakesmith/ar"
)

func main() {
	archive("at once", 999999, "abcdefghij")
	archive("as 5 and 5", 999999, "abcde", "fghij")
	archive("as 3 and 7, by user 1000000", 1000000, "abc", "defghij")
}

// Writes an archive with a file in the given pieces and a second file, and says what is read of it.
func archive(how string, owner int, pieces ...string) {
	var buffer bytes.Buffer
	writer := ar.NewWriter(&buffer)
	check(writer.WriteGlobalHeader())
	for _, file := range [][]string{pieces, {"second"}} {
		size := len(strings.Join(file, ""))
		header := ar.Header{Name: "file", ModTime: time.Unix(0, 0), Uid: owner, Mode: 0644, Size: int64(size)}
		check(writer.WriteHeader(&header))
		for _, piece := range file {
			_, err := writer.Write([]byte(piece))
			check(err)
		}
	}
	reader := ar.NewReader(&buffer)
	header, err := reader.Next()
	check(err)
	content, err := io.ReadAll(reader)
	check(err)
	found := "lost"
	if next, err := reader.Next(); err == nil && next.Name == "file" {
		found = "found"
	}
	content = bytes.ReplaceAll(content, []byte("\n"), []byte("."))
	fmt.Printf("written %s: %s, owner %d; second file %s\n", how, content, header.Uid, found)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
END
go get github.com/blakesmith/ar@v0.0.0-20190502131153-809d4375e1fb >log 2>&1 || { cat log; exit 1; }
go run . >seen
cat seen
[ "$(cat seen)" = 'written at once: abcdefghij, owner 999999; second file found
written as 5 and 5: abcde.fghi, owner 999999; second file lost
written as 3 and 7, by user 1000000: abc.defghi, owner 100000; second file lost' ] || {
    echo "this has changed"
    exit 1
}
