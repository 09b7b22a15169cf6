//! Bytes of other tools in and out, in one binary: each of its own costs a link and its share of generic code.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod bonnie;
mod bundle;
mod copied;
mod corpus;
mod cuts;
mod dd;
mod elbencho;
mod exports;
mod files;
mod fio;
mod fio_log;
mod fio_parts;
mod fs_mark;
mod gate;
mod gate_tools;
mod hostile;
mod hyperfine_iostat;
mod hyperfine_names;
mod ioping;
mod ior;
mod iostat_human;
mod lines;
mod matrix_csv;
mod mdtest;
mod neighbours;
mod notes;
mod options;
mod posted;
mod published;
mod round_trips;
mod schema;
mod streams;
mod sysbench;
mod sysbench_events;
