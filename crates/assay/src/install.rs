//! Implements `assay doctor --install`: builds programs once and keeps them in the cache folder; one file and one line
//! each. The only verb that may use the network.

mod build;
mod versitygw;
mod zerofs;
mod zfs;

use crate::{exit, signals, terminal};
use anyhow::Result;
use build::Build;
use fs::Cmd;
use lab::programs::{Run, artifacts};
use model::text::did_you_mean;
use std::path::{Path, PathBuf};

/// Room for the build of a program, bytes; ZeroFS used 1.3 GB.
const ROOM_BYTES: u64 = 2 << 30;

/// Something that assay can build.
trait Product: Sync {
    /// As it is written after `--install`.
    fn name(&self) -> &'static str;

    /// What it is for, what it costs and under which licence it is.
    fn about(&self) -> &'static str;

    /// How it is built here, or where it is already.
    fn recipe(&self) -> Result<Recipe>;
}

/// How a product is built.
enum Recipe {
    /// Nothing: it is here.
    Present(PathBuf),
    /// To build it.
    Missing(Build),
}

const PRODUCTS: &[&dyn Product] = &[&zfs::Zfs, &zerofs::ZeroFs, &versitygw::VersityGw];

/// The names that `--install` takes.
pub fn names() -> Vec<&'static str> {
    PRODUCTS.iter().map(|product| product.name()).collect()
}

/// Builds the product called `name`, unless it is there.
///
/// # Errors
/// No product has that name, the machine lacks something that it needs, a step fails, or a signal stops
/// it; what was done then is kept, and the next call continues.
pub fn install(name: &str) -> Result<()> {
    let product = PRODUCTS.iter().find(|product| product.name() == name).ok_or_else(|| {
        let (meant, known) = (did_you_mean(name, names()), names().join(", "));
        exit::usage(format!("assay cannot install `{name}`{meant}; expected one of {known}"))
    })?;
    let stop = signals::stop_flag()?;
    match product.recipe()? {
        Recipe::Present(place) => {
            let took = build::took(&place).map_or_else(String::new, |t| format!(", built in {t}"));
            terminal::out(&format!("{name} is already in {}{took}", place.display()))?;
        }
        Recipe::Missing(build) => {
            terminal::note(product.about());
            terminal::out(&format!("{name} is in {}", build.run(name, &stop)?))?;
        }
    }
    Ok(())
}

/// The recipe of the program `name`, which the one step that `step` makes in the work folder puts into `result/bin`
/// there. `step` refuses what the machine lacks for it.
fn program(
    name: &str,
    version: &str,
    step: impl FnOnce(&Path) -> Result<build::Step>,
) -> Result<Recipe> {
    let place = artifacts::program_dir(name, version);
    if place.join("bin").join(name).exists() {
        return Ok(Recipe::Present(place));
    }
    let work = artifacts::dir().join("build").join(format!("{name}-{version}"));
    let steps = vec![step(&work)?];
    Ok(Recipe::Missing(Build {
        place,
        work,
        room_bytes: ROOM_BYTES,
        steps,
        collect: |_, _| Ok(()),
    }))
}

/// Refuses to begin without `program`; `fix` says what to do.
fn need(program: &str, fix: &str) -> Result<()> {
    let answer = Cmd::new(program).arg("--version").run().map(drop);
    answer.map_err(|_| exit::lacking(format!("`{program}` is not installed; {fix}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_that_no_package_brings_can_be_built() {
        let tools = fs::ALL.iter().flat_map(|fs| fs.about().tools);
        let without: Vec<&str> = tools
            .filter(|tool| !tool.is_packaged() && !names().contains(&tool.program))
            .map(|tool| tool.program)
            .collect();
        assert!(without.is_empty(), "no file in install/ and no line of PRODUCTS: {without:?}");
    }
}
