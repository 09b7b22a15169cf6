//! `mpirun -n 64 assay-mpi run --on dir:PATH ...`: the ordinary program on rank 0, with all ranks as its workers.

use anyhow::{Context, Result};
use assay_mpi::{
    allocation::Allocation,
    keeper::{self, Keeper},
    placement::Map,
    rank,
    world::World,
};
use std::{
    env,
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
    rc::Rc,
};

fn main() -> ExitCode {
    if let Some(status) = assay_program::hidden().or_else(keeper::hidden) {
        return status;
    }
    take_part().unwrap_or_else(|error| {
        tell(&format!("{error:#}"));
        ExitCode::FAILURE
    })
}

fn take_part() -> Result<ExitCode> {
    let (map, arguments) = split(env::args_os())?;
    let keeper = Keeper::start(&arguments).context("cannot start who cleans up after a kill")?;
    let world = World::begin(tell)?;
    if world.rank() > 0 {
        keeper.into_iter().for_each(Keeper::release);
        return Ok(follow(&world));
    }
    let allocation = Allocation::of(Rc::new(world), map)?;
    let status = assay_program::main_on(&allocation, arguments.into_iter());
    keeper.into_iter().for_each(Keeper::release);
    allocation.end()?;
    Ok(status)
}

/// Serves rank 0. Who cannot go on ends all: MPI would wait for a rank that is lost.
fn follow(world: &World) -> ExitCode {
    if let Err(error) = rank::serve(world) {
        tell(&format!("{error:#}"));
        world.abort();
    }
    ExitCode::SUCCESS
}

/// The arguments without `--map`, and what that says.
fn split(arguments: impl Iterator<Item = OsString>) -> Result<(Map, Vec<OsString>)> {
    let (mut map, mut rest) = (Map::default(), Vec::new());
    let mut arguments = arguments;
    while let Some(word) = arguments.next() {
        match word.to_str().and_then(|text| text.strip_prefix("--map")) {
            Some("") => {
                let value = arguments.next().context("--map takes host or core")?;
                map = value.to_string_lossy().parse().map_err(anyhow::Error::msg)?;
            }
            Some(value) if value.starts_with('=') => {
                map = value[1..].parse().map_err(anyhow::Error::msg)?;
            }
            _ => rest.push(word),
        }
    }
    Ok((map, rest))
}

/// Shows a line; where that is not possible there is nobody to read it.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "assay-mpi: {line}");
}
