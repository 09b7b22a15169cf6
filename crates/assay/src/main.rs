//! The `assay` program; everything is in the library, which the fuzzers call too.

use std::process::ExitCode;

fn main() -> ExitCode {
    assay_program::main()
}
