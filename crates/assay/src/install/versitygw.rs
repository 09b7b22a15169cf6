//! versitygw: an object store that speaks S3 over a directory, built by the user's own Go.

use super::{Product, Recipe, build::Step, program};
use crate::exit;
use anyhow::Result;
use fs::Cmd;
use lab::programs::{Run, artifacts::VERSITYGW_VERSION};
use std::path::Path;

const GO_FIX: &str = "`go` is not installed; install Go 1.24 or later, and under sudo pass the path on: \
                      sudo env PATH=\"$PATH\" assay doctor --install versitygw";

/// The product.
pub struct VersityGw;

impl Product for VersityGw {
    fn name(&self) -> &'static str {
        "versitygw"
    }

    fn about(&self) -> &'static str {
        "versitygw is the s3 server for rclone, s3fs, zerofs-nfs and zerofs-9p; Apache-2.0, from \
         the Go module proxy, about two minutes"
    }

    fn recipe(&self) -> Result<Recipe> {
        program("versitygw", VERSITYGW_VERSION, go_install)
    }
}

fn go_install(work: &Path) -> Result<Step> {
    Cmd::new("go").arg("version").run().map_err(|_| exit::lacking(GO_FIX))?;
    let below = |name: &str| work.join(name).display().to_string();
    let module = format!("github.com/versity/versitygw/cmd/versitygw@v{VERSITYGW_VERSION}");
    Ok(Step {
        name: "go",
        command: ["go", "install", "-modcacherw", &module].map(String::from).to_vec(),
        env: vec![
            ("GOBIN", below("result/bin")),
            ("GOPATH", below("modules")),
            ("GOCACHE", below("cache")),
            // Of C it needs nothing, and so no compiler of it.
            ("CGO_ENABLED", "0".into()),
        ],
        dir: work.to_path_buf(),
        advice: "see the log, then run the same command again",
    })
}
