//! `mpirun -n 64 assay-mpi run --on dir:PATH ...`: the ordinary program on rank 0, with all ranks as its workers.

use anyhow::{Context, Result};
use assay_mpi::{
    allocation::Allocation,
    each_host::EachHost,
    fleet,
    keeper::{self, Keeper},
    placement::Request,
    rank,
    world::World,
};
use campaign::messages::with_causes;
use std::{
    env,
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
    rc::Rc,
};

fn main() -> ExitCode {
    if let Some(status) = assay_program::hidden().or_else(keeper::hidden).or_else(fleet::hidden) {
        return status;
    }
    take_part().unwrap_or_else(|error| {
        tell(&with_causes(&error));
        ExitCode::FAILURE
    })
}

fn take_part() -> Result<ExitCode> {
    let (request, arguments) = split(env::args_os())?;
    if let Some(asked) = EachHost::of(&arguments)? {
        return each_host(&asked);
    }
    let keeper = Keeper::start(&arguments).context(
        "cannot start the keeper that cleans up after \
                                                    a kill",
    )?;
    let world = World::begin(tell)?;
    if world.rank() > 0 {
        keeper.into_iter().for_each(Keeper::release);
        return Ok(follow(&world));
    }
    let allocation = Allocation::of(Rc::new(world), request)?;
    let status = assay_program::main_on(&allocation, arguments.into_iter());
    keeper.into_iter().for_each(Keeper::release);
    allocation.end()?;
    Ok(status)
}

/// Every host runs alone; a rank that cannot continue ends all, and with them their campaigns.
fn each_host(asked: &EachHost) -> Result<ExitCode> {
    let world = World::begin(tell)?;
    if world.rank() > 0 {
        return Ok(follow(&world));
    }
    Ok(fleet::lead(&world, asked, tell).unwrap_or_else(|error| {
        tell(&with_causes(&error));
        world.abort()
    }))
}

/// Serves rank 0. A rank that cannot continue ends all: MPI would wait for a rank that is lost.
fn follow(world: &World) -> ExitCode {
    if let Err(error) = rank::serve(world) {
        tell(&with_causes(&error));
        world.abort();
    }
    ExitCode::SUCCESS
}

/// The arguments without `--map` and `--shift`, and what these say.
fn split(mut arguments: impl Iterator<Item = OsString>) -> Result<(Request, Vec<OsString>)> {
    let (mut request, mut rest) = (Request::default(), Vec::new());
    while let Some(word) = arguments.next() {
        let text = word.to_str().unwrap_or_default();
        let map = match text.strip_prefix("--map") {
            Some("") => Some(arguments.next().context("--map expects host or core")?),
            Some(value) => value.strip_prefix('=').map(OsString::from),
            None => None,
        };
        match map {
            Some(value) => {
                request.map = value.to_string_lossy().parse().map_err(anyhow::Error::msg)?;
            }
            None if text == "--shift" => request.shift = true,
            None => rest.push(word),
        }
    }
    Ok((request, rest))
}

/// Shows a line; if that is not possible, there is no reader.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "assay-mpi: {line}");
}
