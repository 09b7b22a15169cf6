//! The memory policy of a thread, which processes and threads that it starts inherit (set_mempolicy(2), numa(7)).

use libc::{MPOL_BIND, SYS_set_mempolicy, c_ulong, syscall};
use std::io;

/// Nodes that one word of a mask has.
const BITS: u32 = c_ulong::BITS;

/// Makes all memory that this thread, and what it starts, touches first from here on come from `node`. What it has
/// already stays where it is.
///
/// # Errors
/// The kernel has no such node, or no NUMA, or this process may not use its memory.
pub fn bind_memory(node: u32) -> io::Result<()> {
    let mut mask: Vec<c_ulong> = vec![0; (node / BITS + 1) as usize];
    mask[(node / BITS) as usize] = 1 << (node % BITS);
    // The kernel uses one bit less than it is given.
    let bits = mask.len() as c_ulong * c_ulong::from(BITS) + 1;
    // SAFETY: `mask` has `bits - 1` readable bits and outlives the call, which keeps no pointer to it.
    let result = unsafe { syscall(SYS_set_mempolicy, MPOL_BIND, mask.as_ptr(), bits) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, thread};

    #[test]
    fn memory_is_bound_to_a_node_that_exists() {
        let policies = thread::spawn(|| {
            bind_memory(0)?;
            fs::read_to_string("/proc/thread-self/numa_maps")
        });
        match policies.join().unwrap() {
            Ok(maps) => assert!(maps.contains(" bind:0 "), "{maps}"),
            // A kernel without NUMA has neither the call nor the file.
            Err(error) => assert!(!fs::exists("/proc/self/numa_maps").unwrap(), "{error}"),
        }
        let unknown = thread::spawn(|| bind_memory(1023)).join().unwrap();
        assert!(unknown.is_err());
    }
}
