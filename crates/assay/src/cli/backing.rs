//! Arguments that choose the disks or images under test.

use super::headings::PLACE;
use clap::Args;
use model::{
    plan::{BackingPlan, ObjectStore, Purge},
    text::Bytes,
};
use std::{env, path::PathBuf};

/// Loop images, or disks.
#[derive(Args, Clone, Debug, Default)]
pub struct BackingArgs {
    /// Disk to test instead of loop images, by its stable name /dev/disk/by-id/...; repeat for targets on
    /// several disks. ALL DATA ON IT IS DESTROYED
    #[arg(long, value_name = "DISK", conflicts_with_all = ["image_dir", "image_size"], help_heading = PLACE)]
    pub device: Vec<PathBuf>,
    #[command(flatten)]
    pub consent: Consent,
    /// How to empty a disk before each mkfs: discard, zero-range or none [default: discard if supported]
    #[arg(long, value_name = "HOW", help_heading = PLACE)]
    pub purge: Option<Purge>,
    /// Precondition: overwrite every disk twice before the first mkfs; implies --purge none
    #[arg(long, help_heading = PLACE)]
    pub condition: bool,
    /// Partition each disk equally; candidates rotate through the partitions, one step per block, so that
    /// none keeps the fast end of the disk [default: candidates use the whole disk in turn]
    #[arg(long, help_heading = PLACE)]
    pub split: bool,
    /// Folder for loop images; its disk is the one measured [default: the state folder]
    #[arg(long, value_name = "DIR", help_heading = PLACE)]
    pub image_dir: Option<PathBuf>,
    /// Size of each loop image [default: derived from the scale]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, help_heading = PLACE)]
    pub image_size: Option<Bytes>,
    /// Object store for targets with store=s3, instead of a local server, e.g.
    /// https://s3.eu-west-1.amazonaws.com/BUCKET/PREFIX. Keys are read from AWS_ACCESS_KEY_ID,
    /// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, and never shown or stored. Each target uses its own
    /// prefix, which is deleted afterwards; nothing else in the bucket is touched
    #[arg(long, value_name = "URL", help_heading = PLACE)]
    pub s3_endpoint: Option<ObjectStore>,
    /// Region of that object store [default: AWS_REGION, else us-east-1]
    #[arg(long, value_name = "REGION", requires = "s3_endpoint", help_heading = PLACE)]
    pub s3_region: Option<String>,
}

/// Consent to destroy what is on disks. The user gives it for one run, as an argument or typed. It is not
/// part of a plan, so no plan file, suite, dataset or store can give it.
#[derive(Args, Clone, Debug, Default)]
pub struct Consent {
    /// Serial number of the disk to erase, as confirmation [default: asked for]. Cannot be set in a plan file
    #[arg(long, value_name = "SERIAL", help_heading = PLACE)]
    pub destroy: Vec<String>,
    /// Type of content that may be destroyed, e.g. ext4 or gpt; repeat or separate with commas. Disks with
    /// any other content are refused
    #[arg(long, value_name = "TYPE", value_delimiter = ',', help_heading = PLACE)]
    pub wipe_signature: Vec<String>,
}

impl BackingArgs {
    /// Overrides what `backing` says.
    pub fn apply(&self, backing: &mut BackingPlan) {
        if !self.device.is_empty() {
            backing.devices.clone_from(&self.device);
        }
        backing.purge = self.purge.or(backing.purge);
        backing.condition |= self.condition;
        backing.split |= self.split;
        backing.dir = self.image_dir.clone().or(backing.dir.take());
        backing.size = self.image_size.or(backing.size);
        if let Some(store) = &self.s3_endpoint {
            let of_user = || env::var("AWS_REGION").ok().filter(|region| !region.is_empty());
            let region = self.s3_region.clone().or_else(of_user);
            let region = region.unwrap_or_else(|| store.region.clone());
            backing.object_store = Some(ObjectStore { region, ..store.clone() });
        }
    }
}
