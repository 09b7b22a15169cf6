#!/usr/bin/env bash
# rustix 1.1.6 (crates.io), thread::futex::wake: its count is a u32, but u32::MAX, which looks like "all", wakes one
# sleeper. The kernel takes the count as a signed number, and stops after the first sleeper where it is negative. The
# function's documentation names no limit; futex(2) names INT_MAX. A program whose sleepers look again after a while only
# gets slow. Three threads sleep on one word, Linux 6.18, cargo 1.95.0:
#
# Seen:
#   wake(u32::MAX) woke 1 of 3
#   wake(i32::MAX) woke 2 of the other 2
#
# Needs cargo and no root. Takes 20 s and leaves nothing.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/src"
cat >"$work/Cargo.toml" <<'TOML'
[package]
name = "woken"
version = "0.0.0"
edition = "2021"

[dependencies]
rustix = { version = "=1.1.6", features = ["thread"] }
TOML
cat >"$work/src/main.rs" <<'RUST'
use rustix::thread::{futex, gettid};
use std::sync::atomic::AtomicU32;

static WORD: AtomicU32 = AtomicU32::new(0);

fn sleeps(tid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/self/task/{tid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('S'))
}

fn main() {
    let (tell, told) = std::sync::mpsc::channel();
    for _ in 0..3 {
        let tell = tell.clone();
        std::thread::spawn(move || {
            tell.send(gettid().as_raw_nonzero().get() as u32).unwrap();
            let _ = futex::wait(&WORD, futex::Flags::PRIVATE, 0, None);
        });
    }
    let tids: Vec<u32> = told.iter().take(3).collect();
    while !tids.iter().all(|tid| sleeps(*tid)) {
        std::thread::yield_now();
    }
    println!("wake(u32::MAX) woke {} of 3", futex::wake(&WORD, futex::Flags::PRIVATE, u32::MAX).unwrap());
    println!("wake(i32::MAX) woke {} of the other 2", futex::wake(&WORD, futex::Flags::PRIVATE, i32::MAX as u32).unwrap());
}
RUST
printed=$(cargo run --quiet --manifest-path "$work/Cargo.toml")
echo "$printed"
[ "$printed" = "wake(u32::MAX) woke 1 of 3
wake(i32::MAX) woke 2 of the other 2" ] || { echo "this has changed"; exit 1; }
