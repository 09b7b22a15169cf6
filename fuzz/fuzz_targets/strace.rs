//! Runs the target of this name.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    fuzz::strace(bytes);
});
