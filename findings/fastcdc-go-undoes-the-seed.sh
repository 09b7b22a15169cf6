#!/usr/bin/env bash
# fastcdc-go 0.2.0 (Go module github.com/jotfs/fastcdc-go) cuts data into chunks by their content, so that equal parts
# of two files are stored once. A seed changes where it cuts, so that the sizes of the chunks do not tell what is
# stored. Expected: the same data and the same options give the same chunks. `NewChunker` combines the seed by an
# exclusive or with a table that all chunkers of the program share, and leaves it there. The second chunker with the
# same seed undoes the first one: it cuts as if there were no seed, at other places, and a store finds no chunk of a
# file that it already has. A chunker without a seed has the one that was left, and one that is at work goes on with
# another table when the next one is made. Nothing is said. 1 MiB by one chunker after another, with chunks of 4 KiB on
# average, and how many of its bytes are in chunks that the first chunker of the program had too:
#
# Seen:
#   seeds 1, 1, 1, none: 1048576, 0, 1048576, 1048576
#   seeds none, 1, 1, none: 1048576, 0, 1048576, 1048576
#
# Needs go, and no root. Leaves nothing but what go keeps in its caches.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >go.mod <<'END'
module chunk
go 1.24
END
cat >chunk.go <<'END'
package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/jotfs/fastcdc-go"
)

// The chunks of fixed data, as lengths by hash.
func chunks(seed uint64) map[[32]byte]int {
	data, state := make([]byte, 1<<20), uint32(1)
	for at := range data {
		state = state*1664525 + 1013904223
		data[at] = byte(state >> 24)
	}
	chunker, err := fastcdc.NewChunker(bytes.NewReader(data), fastcdc.Options{AverageSize: 4096, Seed: seed})
	check(err)
	found := map[[32]byte]int{}
	for {
		chunk, err := chunker.Next()
		if err == io.EOF {
			return found
		}
		check(err)
		found[sha256.Sum256(chunk.Data)] = chunk.Length
	}
}

func main() {
	var first map[[32]byte]int
	for at, argument := range os.Args[1:] {
		seed, err := strconv.ParseUint(argument, 10, 64)
		check(err)
		found, same := chunks(seed), 0
		if at == 0 {
			first = found
		}
		for hash, length := range found {
			if _, has := first[hash]; has {
				same += length
			}
		}
		fmt.Println(same)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
END
go get github.com/jotfs/fastcdc-go@v0.2.0 >log 2>&1 || { cat log; exit 1; }
go build -o chunk . >log 2>&1 || { cat log; exit 1; }
# 0 is no seed.
seen="seeds 1, 1, 1, none: $(./chunk 1 1 1 0 | paste -sd, | sed 's/,/, /g')
seeds none, 1, 1, none: $(./chunk 0 1 1 0 | paste -sd, | sed 's/,/, /g')"
echo "$seen"
[ "$seen" = 'seeds 1, 1, 1, none: 1048576, 0, 1048576, 1048576
seeds none, 1, 1, none: 1048576, 0, 1048576, 1048576' ] || { echo "this has changed"; exit 1; }
