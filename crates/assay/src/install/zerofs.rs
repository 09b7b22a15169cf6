//! ZeroFS: a file system over an object store, built by the user's own cargo. It is under the AGPL, so
//! assay runs it and links nothing of it.

use super::{Product, Recipe, build::Step, need, program};
use anyhow::Result;
use lab::programs::artifacts::ZEROFS_VERSION;
use std::path::Path;

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
        program("zerofs", ZEROFS_VERSION, cargo_install)
    }
}

fn cargo_install(work: &Path) -> Result<Step> {
    need("cargo", CARGO_FIX)?;
    // For what is C in it: compression, and an allocator with a makefile.
    need("cc", "install the package gcc")?;
    need("make", "install the package make")?;
    Ok(Step {
        name: "cargo",
        command: command(&work.join("result").display().to_string()),
        env: vec![
            ("CARGO_TARGET_DIR", work.join("target").display().to_string()),
            ("CARGO_TERM_COLOR", "never".into()),
            // How many of the crates are done, which it would tell a terminal alone.
            ("CARGO_TERM_PROGRESS_WHEN", "always".into()),
            ("CARGO_TERM_PROGRESS_WIDTH", "80".into()),
        ],
        dir: work.to_path_buf(),
        advice: "see the log, then run the same command again",
    })
}

/// Locked, so that everyone builds what its authors tested.
fn command(root: &str) -> Vec<String> {
    ["cargo", "install", "zerofs", "--version", ZEROFS_VERSION, "--locked", "--root", root]
        .map(String::from)
        .to_vec()
}
