//! Place of one layer of a target: everything that its commands name.

use crate::{Cmd, Secret, rebuild::RESYNC};
use model::{plan::ObjectStore, target::Options};
use std::{
    net::Ipv4Addr,
    path::{Path, PathBuf},
};

/// An object store, and where in it a part keeps its objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Its URL for clients: scheme, host and port.
    pub url: String,
    /// The name of its region.
    pub region: String,
    /// The bucket.
    pub bucket: String,
    /// The prefix of all object names of the part, without a trailing slash; empty in a bucket of ours.
    pub prefix: String,
    /// Whether it is the user's own store, and not a server of this target.
    pub is_users: bool,
    /// Whether the user's keys to it are temporary, with a token.
    pub has_token: bool,
}

impl Endpoint {
    /// A server of ours on `port` of the loopback address, with one bucket.
    pub fn here(port: u16, bucket: &str, region: &str) -> Endpoint {
        Endpoint {
            url: format!("http://{}:{port}", Ipv4Addr::LOCALHOST),
            region: region.into(),
            bucket: bucket.into(),
            prefix: String::new(),
            is_users: false,
            has_token: false,
        }
    }

    /// One of the user's own, whose keys have a token or not.
    pub fn of_user(store: &ObjectStore, has_token: bool) -> Endpoint {
        Endpoint {
            url: store.url.clone(),
            region: store.region.clone(),
            bucket: store.bucket.clone(),
            prefix: store.prefix.clone(),
            is_users: true,
            has_token,
        }
    }

    /// The place called `name` in it.
    pub fn below(&self, name: &str) -> Endpoint {
        let slash = if self.prefix.is_empty() { "" } else { "/" };
        Endpoint { prefix: format!("{}{slash}{name}", self.prefix), ..self.clone() }
    }

    /// Bucket and prefix, with `between` them where there is a prefix.
    pub fn place(&self, between: &str) -> String {
        let between = if self.prefix.is_empty() { "" } else { between };
        format!("{}{between}{}", self.bucket, self.prefix)
    }

    /// `cmd` with the keys to it in these variables: access key, secret key, and the token of temporary
    /// keys, which a server of ours has not.
    pub fn keys(&self, cmd: Cmd, [access, secret, token]: [&str; 3]) -> Cmd {
        if !self.is_users {
            return cmd.secret(access, Secret::AccessKey).secret(secret, Secret::SecretKey);
        }
        let cmd = cmd.secret(access, Secret::UsersAccessKey).secret(secret, Secret::UsersSecretKey);
        cmd.secret(token, Secret::UsersToken)
    }
}

/// The prefix of the names of everything that assay makes.
pub const OURS: &str = "assay-";

/// The flag of a mirror in its state after the loss of its last disk.
pub(crate) const DEGRADED: &str = "degraded";

/// The names and paths used by the commands of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The devices it is on, as many as it asks for; none for what lies in a directory or in memory.
    pub disks: Vec<PathBuf>,
    /// Bytes of each of the disks at the bottom of the target; each part takes a few for itself.
    pub bytes: u64,
    /// The directory in which it lies, of the file system below it; `None` for what is on disks.
    pub below: Option<PathBuf>,
    /// The object store that it uses besides that directory; `None` if it uses none.
    pub store: Option<Endpoint>,
    /// The object store of the user's own in which it may make a place.
    pub outside: Option<Endpoint>,
    /// Its mount point. Not created for a part that offers a disk.
    pub dir: PathBuf,
    /// A name that nothing else has, for pools, arrays, mappings and exports.
    pub name: String,
    /// A private directory for sockets, keys and configuration.
    pub scratch: PathBuf,
    /// A network block device that no client holds.
    pub free_nbd: PathBuf,
}

impl Site {
    /// The first device, or an empty path where there is none.
    pub fn disk(&self) -> &Path {
        self.disks.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// The directory below, or an empty path where there is none.
    pub fn below(&self) -> &Path {
        self.below.as_deref().unwrap_or(Path::new(""))
    }

    /// The disk that a mirror with the flag [`DEGRADED`] has lost, or that is rebuilt; never the only one.
    pub fn lost(&self, options: &Options) -> Option<&PathBuf> {
        let has_lost = [DEGRADED, RESYNC].iter().any(|key| options.contains_key(*key));
        self.disks.last().filter(|_| has_lost && self.disks.len() > 1)
    }

    /// The disks that it has left.
    pub fn left(&self, options: &Options) -> &[PathBuf] {
        &self.disks[..self.disks.len() - usize::from(self.lost(options).is_some())]
    }

    /// A number that hardly any other site has, for ports: the hash FNV-1a of the name.
    pub fn number(&self) -> u32 {
        let hash = |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        self.name.bytes().fold(0x811c_9dc5, hash)
    }
}
