//! The arguments about what file systems are made on.

use super::headings::PLACE;
use clap::Args;
use model::{BackingPlan, Bytes, ObjectStore, Purge};
use std::{env, path::PathBuf};

/// Loop images, or disks.
#[derive(Args, Clone, Debug, Default)]
pub struct BackingArgs {
    /// Disk to make the file systems on, by its stable name /dev/disk/by-id/..., instead of a loop image;
    /// repeat it for targets on several. ALL DATA ON IT IS DESTROYED
    #[arg(long, value_name = "DISK", conflicts_with_all = ["image_dir", "image_size"], help_heading = PLACE)]
    pub device: Vec<PathBuf>,
    #[command(flatten)]
    pub consent: Consent,
    /// How a disk is emptied before each file system: discard, zero-range or none [default: discard where
    /// the disks know it]
    #[arg(long, value_name = "HOW", help_heading = PLACE)]
    pub purge: Option<Purge>,
    /// Write the disks in full, twice, before the first file system, as in a long use; implies --purge none
    #[arg(long, help_heading = PLACE)]
    pub condition: bool,
    /// Divide each disk into as many equal parts as there are candidates: each is made on a part of its own,
    /// and on the next part in the next block, so that none has the fast end of the disk for itself
    /// [default: each has the whole disks in turn]
    #[arg(long, help_heading = PLACE)]
    pub split: bool,
    /// Folder for loop images: the disk that it is on is the one that is measured [default: the state folder]
    #[arg(long, value_name = "DIR", help_heading = PLACE)]
    pub image_dir: Option<PathBuf>,
    /// Size of the loop image [default: from the scale]
    #[arg(long, value_name = "SIZE", allow_negative_numbers = true, help_heading = PLACE)]
    pub image_size: Option<Bytes>,
    /// Object store of your own for targets with store=s3, with its bucket and perhaps a prefix in it, as
    /// https://s3.eu-west-1.amazonaws.com/BUCKET/PREFIX, in the place of a server of assay's. Keys are taken from
    /// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, and nowhere shown or stored. Each target works
    /// below a prefix of its own, which is removed after; nothing else in the bucket is touched
    #[arg(long, value_name = "URL", help_heading = PLACE)]
    pub s3_endpoint: Option<ObjectStore>,
    /// What that store calls its region [default: AWS_REGION, else us-east-1]
    #[arg(long, value_name = "REGION", requires = "s3_endpoint", help_heading = PLACE)]
    pub s3_region: Option<String>,
}

/// The consent to destroy what is on disks. It is given for one run, as an argument or typed, and is no
/// part of a plan: no plan file, suite, dataset or store can give it in the place of the user.
#[derive(Args, Clone, Debug, Default)]
pub struct Consent {
    /// Serial number of a disk that is made use of, as a consent to its destruction; without it you are
    /// asked to type it. No plan file or stored campaign can give it
    #[arg(long, value_name = "SERIAL", help_heading = PLACE)]
    pub destroy: Vec<String>,
    /// Type of content on the disks that may be destroyed, as ext4 or gpt; repeat or separate by commas.
    /// A disk with any other content is refused
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
