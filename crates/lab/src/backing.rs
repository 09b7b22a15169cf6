//! What targets are made on: images, loop devices, and what is made of several devices.

pub(crate) mod bcache;
pub(crate) mod image;
pub(crate) mod layers;
pub(crate) mod loop_device;
pub(crate) mod nbd;
pub(crate) mod zpool;
