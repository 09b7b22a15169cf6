//! The network of a confined process: only a loopback interface of its own, over which the processes of an MPI program
//! communicate.

use rustix::net::{AddressFamily, SocketType, socket};
use std::os::fd::AsRawFd;

/// Brings the loopback interface of this namespace up. A program that needs it says so itself when it
/// cannot be had.
pub(super) fn start_loopback() {
    let Ok(any) = socket(AddressFamily::INET, SocketType::DGRAM, None) else { return };
    // SAFETY: `ifreq` is plain data, for which all zero bits are a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = *from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: the request is a whole `ifreq` with a name that ends with zero, as the call expects.
    unsafe { libc::ioctl(any.as_raw_fd(), libc::SIOCSIFFLAGS as _, &request) };
}
