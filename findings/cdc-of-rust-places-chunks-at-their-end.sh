#!/usr/bin/env bash
# cdc 0.1.1 (crates.io) cuts data into chunks by their content, for storing equal parts once. Its `Chunk` is documented
# as a piece of the data stream, with index and size. Expected: the chunk is the `size` bytes from `index` on. Its own
# example tree02 reads it so, to make the hashes by which chunks are stored. The iterator moves on before it fills in
# the index: it is where the chunk ends. What is read there is the start of the next chunk, cut to the size of this one
# or continued behind it, and nothing for the last chunk. Whatever is larger than the chunk before it is not read in
# full, and the first one never: a store that keeps what it reads so lacks these parts of each file. Nothing is said,
# and the sizes are right. 200000 bytes in a fixed disorder, whose chunks are read from index on, and by adding up the
# sizes:
#
# Seen:
#   chunks: 21, the first 0 to 365
#   read from index: 121887 bytes of the data, bytes 0 to 365 in no chunk
#   last chunk: size 3319, read 0
#   read by adding up the sizes: all of the data
#
# Needs cargo, and no root. Leaves nothing but what cargo keeps in its caches.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir src
cat >Cargo.toml <<'END'
[package]
name = "cut"
version = "0.0.0"
edition = "2021"

[dependencies]
cdc = "=0.1.1"
END
cat >src/main.rs <<'END'
use cdc::{Chunk, ChunkIter, SeparatorIter};

fn main() {
    let mut state = 1_u64;
    let mut data = Vec::new();
    for _ in 0..200_000 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        data.push((state >> 33) as u8);
    }
    let separators = SeparatorIter::new(data.iter().copied());
    let chunks: Vec<Chunk> = ChunkIter::new(separators, data.len() as u64).collect();
    println!("chunks: {}, the first 0 to {}", chunks.len(), chunks[0].size);

    // Which bytes are in what is read from the index of each chunk on.
    let mut found = vec![false; data.len()];
    for chunk in &chunks {
        let end = data.len().min((chunk.index + chunk.size) as usize);
        found[chunk.index as usize..end].fill(true);
    }
    let first = found.iter().position(|is| *is).unwrap();
    let count = found.iter().filter(|is| **is).count();
    println!("read from index: {count} bytes of the data, bytes 0 to {first} in no chunk");
    let last = chunks.last().unwrap();
    println!("last chunk: size {}, read {}", last.size, data.len() as u64 - last.index);

    let mut joined = Vec::new();
    for chunk in &chunks {
        joined.extend_from_slice(&data[joined.len()..joined.len() + chunk.size as usize]);
    }
    println!("read by adding up the sizes: {}", if joined == data { "all of the data" } else { "other data" });
}
END
cargo run --quiet >seen
cat seen
[ "$(cat seen)" = 'chunks: 21, the first 0 to 365
read from index: 121887 bytes of the data, bytes 0 to 365 in no chunk
last chunk: size 3319, read 0
read by adding up the sizes: all of the data' ] || { echo "this has changed"; exit 1; }
