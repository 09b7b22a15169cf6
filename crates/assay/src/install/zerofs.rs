//! ZeroFS: a file system over an object store, built by the user's own cargo. It is under the AGPL, so
//! assay runs it and links nothing of it.

use super::{
    Product, Recipe,
    build::{Build, Step},
    need,
};
use anyhow::Result;
use lab::artifacts::{self, ZEROFS_VERSION};

const CARGO_FIX: &str = "install Rust, and under sudo pass the path on: \
                         sudo env PATH=\"$PATH\" assay doctor --install zerofs";

/// The product.
pub struct ZeroFs;

impl Product for ZeroFs {
    fn name(&self) -> &'static str {
        "zerofs"
    }

    fn about(&self) -> &'static str {
        "zerofs serves zerofs-nfs, zerofs-9p and zerofs-nbd; AGPL-3.0, about 400 crates from crates.io, \
         16 to 20 minutes on two cores"
    }

    fn recipe(&self) -> Result<Recipe> {
        let place = artifacts::program_dir("zerofs", ZEROFS_VERSION);
        if place.join("bin/zerofs").exists() {
            return Ok(Recipe::Present(place));
        }
        need("cargo", CARGO_FIX)?;
        // For what is C in it: compression, and an allocator with a makefile.
        need("cc", "run `apt-get install gcc`, or `dnf install gcc`")?;
        need("make", "run `apt-get install make`, or `dnf install make`")?;
        let work = artifacts::dir().join("build").join(format!("zerofs-{ZEROFS_VERSION}"));
        let step = Step {
            name: "cargo",
            command: cargo_install(&work.join("result").display().to_string()),
            env: vec![
                ("CARGO_TARGET_DIR", work.join("target").display().to_string()),
                ("CARGO_TERM_COLOR", "never".into()),
                // How many of the crates are done, which it would tell a terminal alone.
                ("CARGO_TERM_PROGRESS_WHEN", "always".into()),
                ("CARGO_TERM_PROGRESS_WIDTH", "80".into()),
            ],
            dir: work.clone(),
            advice: "look at the log, then run the same command again",
        };
        // 1.3 GB were used.
        Ok(Recipe::Missing(Build {
            place,
            work,
            room_bytes: 2 << 30,
            steps: vec![step],
            collect: |_, _| Ok(()),
        }))
    }
}

/// Locked, so that everyone builds what its authors tested.
fn cargo_install(root: &str) -> Vec<String> {
    ["cargo", "install", "zerofs", "--version", ZEROFS_VERSION, "--locked", "--root", root]
        .map(String::from)
        .to_vec()
}
