//! ZFS: kernel modules for the kernel that a QEMU guest boots, built from the distribution's own source
//! package. They are built here and stay here: their licence (CDDL) and the kernel's (GPL) do not allow
//! to ship them together.

use super::{
    Product, Recipe,
    build::{Build, Step},
    need,
};
use crate::exit;
use ::fs::Cmd;
use anyhow::{Context, Result, bail};
use lab::{
    guest,
    programs::{Run, artifacts},
};
use model::plan::LabKind;
use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

/// The product.
pub struct Zfs;

/// What the build runs, and the package of Debian and Ubuntu that brings it.
const PROGRAMS: &[(&str, &str)] = &[
    ("apt-get", "apt"),
    ("dpkg-deb", "dpkg"),
    ("gcc", "gcc"),
    ("make", "make"),
    ("strip", "binutils"),
    ("modinfo", "kmod"),
];

/// What guests run when it is built, and its package.
const USED: (&str, &str) = ("zpool", "zfsutils-linux");

impl Product for Zfs {
    fn name(&self) -> &'static str {
        "zfs"
    }

    fn about(&self) -> &'static str {
        "zfs provides the modules of zfs for QEMU guests; CDDL, source package zfs-dkms of this \
         distribution, 16 to 20 minutes on two cores"
    }

    fn recipe(&self) -> Result<Recipe> {
        let kernel = match guest_kernel() {
            Ok(kernel) => kernel,
            Err(why) => {
                let headers: Result<Headers> = Err(exit::lacking(format!(
                    "{why}, and `apt-get install linux-headers-amd64` for its headers"
                )));
                all(check_programs(), headers, candidate())?;
                return Err(why);
            }
        };
        if let Some(module) = installed(&kernel) {
            return Ok(Recipe::Present(module));
        }
        if let Some(modules) = artifacts::modules("zfs", &kernel) {
            let dir = modules.first().and_then(|module| module.parent()).map(Path::to_path_buf);
            return Ok(Recipe::Present(dir.unwrap_or_default()));
        }
        let (headers, candidate) = all(check_programs(), Headers::of(&kernel), candidate())?;
        let version = upstream(&candidate);
        let work = artifacts::dir().join("build").join(format!("zfs-{kernel}-{version}"));
        Ok(Recipe::Missing(Build {
            place: artifacts::modules_dir("zfs", &kernel).join(&version),
            steps: steps(&work, &headers, &version),
            work,
            // 410 MB were used.
            room_bytes: 1 << 30,
            collect,
        }))
    }
}

/// Version of the kernel that a QEMU guest boots.
fn guest_kernel() -> Result<String> {
    let guest = guest::find(LabKind::Tcg, None)
        .map_err(|missing| exit::lacking(format!("{}; {}", missing.what, missing.fix)))?;
    Ok(guest.venue().kernel)
}

/// The module that the distribution or dkms installed for `kernel`.
fn installed(kernel: &str) -> Option<PathBuf> {
    let modules = Path::new("/lib/modules").join(kernel);
    let list = fs::read_to_string(modules.join("modules.dep")).ok()?;
    let files = list.lines().filter_map(|line| line.split_once(':').map(|(file, _)| file));
    files.filter(|file| file.contains("/zfs.ko")).map(|file| modules.join(file)).next()
}

/// What is there, or everything that is missing at once.
fn all<A, B>(programs: Result<()>, headers: Result<A>, source: Result<B>) -> Result<(A, B)> {
    let mut lacks: Vec<String> = Vec::new();
    lacks.extend(programs.err().map(|why| why.to_string()));
    lacks.extend(headers.as_ref().err().map(|why| why.to_string()));
    lacks.extend(source.as_ref().err().map(|why| why.to_string()));
    match (headers, source) {
        (Ok(headers), Ok(source)) if lacks.is_empty() => Ok((headers, source)),
        _ => Err(exit::lacking(lacks.join("; "))),
    }
}

fn check_programs() -> Result<()> {
    let lacks = |(program, _): &&(&str, &str)| need(program, "").is_err();
    // It does not tell its version where there is no module.
    let unused = Some(&USED).filter(|(program, _)| !lab::programs::is_installed(program));
    let missing: Vec<&(&str, &str)> = PROGRAMS.iter().filter(lacks).chain(unused).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.iter().map(|(program, _)| format!("`{program}`")).collect::<Vec<_>>();
    let packages = missing.iter().map(|(_, package)| *package).collect::<Vec<_>>().join(" ");
    Err(exit::lacking(format!(
        "not installed: {}; run `apt-get install {packages}`, or install zfs by dkms",
        names.join(", ")
    )))
}

/// What a module is compiled against.
struct Headers {
    source: PathBuf,
    objects: PathBuf,
}

impl Headers {
    /// Debian keeps the part of all architectures apart, in `source`.
    fn of(kernel: &str) -> Result<Headers> {
        let modules = Path::new("/lib/modules").join(kernel);
        let resolved = |name: &str| fs::canonicalize(modules.join(name)).ok();
        let objects = resolved("build").ok_or_else(|| {
            exit::lacking(format!(
                "the headers of kernel {kernel} are missing; run `apt-get install linux-headers-{kernel}`"
            ))
        })?;
        Ok(Headers { source: resolved("source").unwrap_or_else(|| objects.clone()), objects })
    }
}

/// The version of the source package that apt would install.
fn candidate() -> Result<String> {
    let output = Cmd::new("apt-cache").args(["policy", "zfs-dkms"]).run()?;
    let line = output.stdout.lines().find_map(|line| line.trim().strip_prefix("Candidate: "));
    line.filter(|version| *version != "(none)").map(str::to_string).ok_or_else(|| {
        exit::lacking(
            "apt has no package zfs-dkms; add the component contrib to the apt sources and run \
             `apt-get update`",
        )
    })
}

/// `2.1.11` of the package's version `1:2.1.11-1+deb12u1`.
fn upstream(version: &str) -> String {
    let without_epoch = version.split_once(':').map_or(version, |(_, rest)| rest);
    without_epoch.rsplit_once('-').map_or(without_epoch, |(first, _)| first).to_string()
}

fn steps(work: &Path, headers: &Headers, version: &str) -> Vec<Step> {
    let source = work.join(format!("package/usr/src/zfs-{version}"));
    let step = |name, dir: &Path, advice, command: &[&str]| Step {
        name,
        command: command.iter().map(|word| word.to_string()).collect(),
        env: Vec::new(),
        dir: dir.into(),
        advice,
    };
    let look = "see the log, then run the same command again";
    let with = |key: &str, path: &Path| format!("--with-{key}={}", path.display());
    let jobs = format!("-j{}", thread::available_parallelism().map_or(1, usize::from));
    vec![
        step("fetch", work, "run `apt-get update`", &["apt-get", "download", "zfs-dkms"]),
        // A pattern, as the file carries the package's whole version.
        step("unpack", work, look, &["sh", "-c", "dpkg-deb -x zfs-dkms_*.deb package"]),
        step(
            "configure",
            &source,
            look,
            &[
                "./configure",
                "--disable-dependency-tracking",
                "--with-config=kernel",
                "--prefix=/usr",
                &with("linux", &headers.source),
                &with("linux-obj", &headers.objects),
            ],
        ),
        step("make", &source, look, &["make", &jobs]),
    ]
}

/// Copies the modules without their debugging symbols, a tenth of the size, and writes down in which
/// order they are loaded.
fn collect(work: &Path, result: &Path) -> Result<()> {
    let mut modules = Vec::new();
    for file in built(&work.join("package/usr/src"))? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let depends = Cmd::new("modinfo").args(["-F", "depends"]).arg(&file).run()?.stdout;
        let to = result.join(format!("{name}.ko"));
        Cmd::new("strip").args(["--strip-debug", "-o"]).arg(to).arg(&file).run()?;
        let depends = depends.trim().split(',').filter(|name| !name.is_empty()).map(String::from);
        modules.push((name, depends.collect()));
    }
    let order: Vec<String> =
        load_order(modules)?.into_iter().map(|name| format!("{name}.ko")).collect();
    if !order.iter().any(|name| name == "zfs.ko") {
        bail!(
            "the build produced no zfs.ko in {}; remove that folder and build \
               again",
            work.display()
        );
    }
    artifacts::write_order(result, &order).context("cannot write the order of the modules")
}

/// The modules, `module/*/*.ko` in the only source tree; configure leaves many others, of its trials.
fn built(sources: &Path) -> Result<Vec<PathBuf>> {
    let list = |dir: &Path| -> Result<Vec<PathBuf>> {
        let entries =
            fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
        Ok(entries.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?)
    };
    let mut found = Vec::new();
    for source in list(sources)? {
        for dir in list(&source.join("module"))?.into_iter().filter(|path| path.is_dir()) {
            found.extend(
                list(&dir)?.into_iter().filter(|f| f.extension().is_some_and(|e| e == "ko")),
            );
        }
    }
    Ok(found)
}

/// The names, each after all that it depends on; a dependency outside the list is the kernel's own.
fn load_order(mut modules: Vec<(String, Vec<String>)>) -> Result<Vec<String>> {
    modules.sort();
    let mut order: Vec<String> = Vec::new();
    while !modules.is_empty() {
        let waits = |(_, needs): &(String, Vec<String>)| {
            needs.iter().any(|need| modules.iter().any(|(name, _)| name == need))
        };
        let Some(next) = modules.iter().position(|module| !waits(module)) else {
            bail!("the modules depend on each other in a cycle: {modules:?}");
        };
        order.push(modules.remove(next).0);
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_loaded_after_what_they_need() {
        let module = |name: &str, needs: &[&str]| {
            (name.to_string(), needs.iter().map(|n| n.to_string()).collect())
        };
        let modules = vec![
            module("zfs", &["spl", "icp", "zlib_deflate"]),
            module("icp", &["spl"]),
            module("spl", &[]),
        ];
        assert_eq!(load_order(modules).unwrap(), ["spl", "icp", "zfs"]);
        let circle = vec![module("a", &["b"]), module("b", &["a"])];
        assert!(load_order(circle).is_err());
    }

    #[test]
    fn the_source_tree_has_the_upstream_version() {
        assert_eq!(upstream("2.1.11-1+deb12u1"), "2.1.11");
        assert_eq!(upstream("1:2.3.9-2~exp-1"), "2.3.9-2~exp");
        assert_eq!(upstream("2.2.0"), "2.2.0");
    }

    #[test]
    fn the_steps_compile_against_the_headers() {
        let headers = Headers { source: "/src/common".into(), objects: "/src/amd64".into() };
        let steps = steps(Path::new("/w"), &headers, "2.1.11");
        let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
        assert_eq!(names, ["fetch", "unpack", "configure", "make"]);
        assert_eq!(steps[2].dir, Path::new("/w/package/usr/src/zfs-2.1.11"));
        assert_eq!(
            steps[2].command.join(" "),
            "./configure --disable-dependency-tracking --with-config=kernel --prefix=/usr \
             --with-linux=/src/common --with-linux-obj=/src/amd64"
        );
    }

    #[test]
    fn all_that_is_missing_is_named_at_once() {
        let lack = |what: &str| exit::lacking(what.to_string());
        let told =
            all::<(), ()>(Err(lack("no gcc")), Err(lack("no headers")), Err(lack("no source")));
        assert_eq!(told.unwrap_err().to_string(), "no gcc; no headers; no source");
        assert!(all::<(), ()>(Err(lack("no gcc")), Ok(()), Ok(())).is_err());
        assert_eq!(all(Ok(()), Ok(1), Ok(2)).unwrap(), (1, 2));
    }
}
