//! Ages a file system before it is measured, fills it, and reads how its files are laid out.

mod age;
mod fullness;
mod layout;

pub use age::{Aged, Ageing, age};
pub use fullness::{fill, fullness};
pub use layout::{Layout, layout};
