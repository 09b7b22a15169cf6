//! The plan of a campaign: candidates, disks, order, precision, price.

mod backing;
mod command;
mod lab_kind;
mod object_store;
mod order;
mod plan_error;
mod preset;
mod price;
mod request;
mod user;

pub use backing::{BackingPlan, CONDITION_FILLS, Purge};
pub use lab_kind::{LabChoice, LabKind};
pub use object_store::{ObjectStore, USUAL_REGION};
pub use order::Order;
pub use plan_error::PlanError;
pub use preset::{LOOKS, Preset, QUICK_LOOKS, Scale};
pub use price::{Charge, Price, PriceError};
pub use request::{AGED_SHARE, Plan, Twin};
pub use user::User;
