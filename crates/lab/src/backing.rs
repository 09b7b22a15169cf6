//! Provides what targets are made on: disks, images on loop devices, several devices as one, prefixes of an object
//! store, and the caps and the link that slow them down.

pub(crate) mod bcache;
mod disks;
pub(crate) mod image;
pub(crate) mod kept;
pub(crate) mod layers;
mod link;
pub(crate) mod loop_device;
pub(crate) mod nbd;
pub(crate) mod object_store;
pub(crate) mod throttle;
pub(crate) mod zpool;

pub use disks::{inspect, judge_disks};
pub use image::image_room;
pub use kept::{kept_bytes, kept_lengths};
pub use link::serve_link;
pub use object_store::claim_prefix;
pub use throttle::can_cap;
