//! `assay doctor`: what this machine can and cannot do.

use crate::{cli::DoctorArgs, exit::Exit, install, terminal};
use anyhow::Result;
use campaign::{
    guests::made::made_before,
    inputs::catalogue::{self, SuiteProgram},
};
use lab::{
    guest::Venue,
    machine::{Cell, Column, DoctorLine, Finding, Install, Matrix},
};

/// Prints which target can be made in which lab, what to install for the others, the programs of suites, and what the
/// machine lacks besides; or builds what `--install` names.
pub fn doctor(args: &DoctorArgs) -> Result<Exit> {
    if let Some(product) = &args.install {
        return install::install(product).map(|()| Exit::Done);
    }
    let programs = catalogue::programs();
    terminal::prose(&text(
        &lab::machine::matrix(),
        &programs,
        &lab::machine::doctor(),
        made_before,
    ))?;
    Ok(Exit::Done)
}

fn text(
    matrix: &Matrix,
    programs: &[SuiteProgram],
    lines: &[DoctorLine],
    made: impl Fn(&Venue) -> Vec<String>,
) -> String {
    let about = |column: &Column| (column.kind.to_string(), about(column, &made));
    let labs = matrix.columns.iter().map(about);
    let installs = matrix.installs();
    let for_targets = |i: &Install| (i.fix.clone(), format!("for {}", i.targets.join(", ")));
    let parts = [
        ("", grid(matrix)),
        (
            "labs; ok means that the kernel and the programs support it, nothing was mounted",
            list(labs),
        ),
        ("to support more targets", list(installs.iter().map(for_targets))),
        ("programs of suites", list(programs.iter().map(|p| (p.name.clone(), program(p))))),
        ("besides", list(lines.iter().map(|line| (line.what.clone(), ability(line))))),
    ];
    let shown = parts.iter().filter(|(_, body)| !body.is_empty());
    let all = shown.map(|(head, body)| match *head {
        "" => body.clone(),
        head => format!("{head}\n{body}"),
    });
    all.collect::<Vec<_>>().join("\n")
}

/// The matrix, each column as wide as its longest cell.
fn grid(matrix: &Matrix) -> String {
    let kinds = matrix.columns.iter().map(|column| column.kind.to_string());
    let mut lines = vec![std::iter::once("target".to_string()).chain(kinds).collect::<Vec<_>>()];
    lines.extend(matrix.rows.iter().map(|row| {
        std::iter::once(row.target.clone()).chain(row.cells.iter().map(cell)).collect()
    }));
    report::columns(&lines, &[])
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Ready => "ok".into(),
        Cell::Needs(needs) => match needs.as_slice() {
            [one] => one.to_string(),
            [first, others @ ..] => format!("{first} +{}", others.len()),
            [] => "ok".into(),
        },
        Cell::Never => "never".into(),
        Cell::NoLab => "-".into(),
    }
}

/// What a lab is and what it has made, or why there is none.
fn about(column: &Column, made: impl Fn(&Venue) -> Vec<String>) -> String {
    match &column.lab {
        Ok(venue) if made(venue).is_empty() => venue.to_string(),
        Ok(venue) => format!("{venue}; used before: {}", made(venue).join(", ")),
        Err(missing) => format!("none: {}; {}", missing.what, missing.fix),
    }
}

/// Whether a program is there, or how to get it, and what runs it.
fn program(program: &SuiteProgram) -> String {
    let suites = program.suites.join(", ");
    match &program.place {
        Some(place) => format!("yes: {}, for {suites}", place.display()),
        None => format!("no, for {suites}; {}", program.fix),
    }
}

fn ability(line: &DoctorLine) -> String {
    let state = match line.finding {
        Finding::Ok => "yes",
        Finding::Limited => "no, less",
        Finding::Missing => "no",
    };
    let fix = if line.fix.is_empty() { String::new() } else { format!("; {}", line.fix) };
    format!("{state}: {}{fix}", line.detail)
}

/// A line for each pair, indented.
fn list(pairs: impl Iterator<Item = (String, String)>) -> String {
    let rows: Vec<_> = pairs.map(|(what, detail)| [format!("  {what}"), detail]).collect();
    report::columns(&rows, &[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use fs::Tool;
    use lab::{
        guest::Missing,
        machine::{Need, Row},
    };
    use model::plan::LabKind;

    const EXPECTED: &str = "\
target    host               kvm  tcg
ext4      ok                 -    ok
f2fs      no module f2fs +1  -    no mkfs.f2fs
zfs       no module zfs      -    zfs not built
dir:PATH  ok                 -    never

labs; ok means that the kernel and the programs support it, nothing was mounted
  host  this machine, Linux 6.18
  kvm   none: /dev/kvm is missing; run this
  tcg   QEMU with TCG, Linux 6.1; used before: f2fs, raid1(ext4)

to support more targets
  run `assay doctor --install zfs` once for QEMU guests, or boot a kernel with zfs, or install \
  the module package of this one  for zfs

programs of suites
  fio  yes: /usr/bin/fio, for fio
  ior  no, for ior; build it

besides
  pressure (PSI)  no, less: interference is not recorded; boot with psi=1";

    fn venue(kind: LabKind, kernel: &str) -> Venue {
        Venue { kind, kernel: kernel.into(), accelerator: "none", image_cache: "none" }
    }

    fn made(venue: &Venue) -> Vec<String> {
        let all = ["f2fs", "raid1(ext4)"].map(String::from);
        if venue.kind == LabKind::Tcg { all.into() } else { Vec::new() }
    }

    fn matrix() -> Matrix {
        let tool = Tool::new("mkfs.f2fs", ["f2fs-tools"; 4]);
        let kernel = |name: &str| Need::Kernel(name.into());
        let missing = Missing { what: "/dev/kvm is missing".into(), fix: "run this".into() };
        let row =
            |target: &str, cells: [Cell; 3]| Row { target: target.into(), cells: cells.into() };
        Matrix {
            columns: vec![
                Column { kind: LabKind::Host, lab: Ok(venue(LabKind::Host, "6.18")) },
                Column { kind: LabKind::Kvm, lab: Err(missing) },
                Column { kind: LabKind::Tcg, lab: Ok(venue(LabKind::Tcg, "6.1")) },
            ],
            rows: vec![
                row("ext4", [Cell::Ready, Cell::NoLab, Cell::Ready]),
                row(
                    "f2fs",
                    [
                        Cell::Needs(vec![kernel("f2fs"), Need::Program(tool)]),
                        Cell::NoLab,
                        Cell::Needs(vec![Need::Program(tool)]),
                    ],
                ),
                row(
                    "zfs",
                    [
                        Cell::Needs(vec![kernel("zfs")]),
                        Cell::NoLab,
                        Cell::Needs(vec![Need::Build("zfs".into())]),
                    ],
                ),
                row("dir:PATH", [Cell::Ready, Cell::NoLab, Cell::Never]),
            ],
        }
    }

    #[test]
    fn the_doctor_prints_the_matrix_and_what_to_install() {
        let line = DoctorLine {
            what: "pressure (PSI)".into(),
            finding: Finding::Limited,
            detail: "interference is not recorded".into(),
            fix: "boot with psi=1".into(),
        };
        // The command of a package depends on the distribution.
        let program = |name: &str, place: Option<&str>, fix: &str| SuiteProgram {
            name: name.into(),
            place: place.map(Into::into),
            fix: fix.into(),
            suites: vec![name.into()],
        };
        let programs = [program("fio", Some("/usr/bin/fio"), ""), program("ior", None, "build it")];
        let text = text(&matrix(), &programs, &[line], made);
        let general: Vec<&str> = text.lines().filter(|line| !line.contains("f2fs-tools")).collect();
        assert_eq!(general.join("\n"), EXPECTED);
        assert!(
            text.lines().any(|l| l.contains("f2fs-tools") && l.ends_with("for f2fs")),
            "{text}"
        );
    }

    #[test]
    fn nothing_to_install_is_not_mentioned() {
        let mut ready = matrix();
        ready.rows.retain(|row| row.target == "ext4");
        assert!(!text(&ready, &[], &[], made).contains("to support more"));
        assert!(!text(&ready, &[], &[], made).contains("besides"));
        assert!(!text(&ready, &[], &[], made).contains("programs of suites"));
    }
}
