//! A machine to its user: a root directory with the smallest set of packages that Debian has, from the mirror of this
//! machine, on the kernel and the devices of this one.

use crate::common::{Place, text};
use needs::{Need, program_or_skip, root_or_skip, skip};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// Unmounts what other tests have mounted, shows the kernel in a root directory, and what else is asked for, and runs
/// what follows there; the mounts are gone with it.
const ENTER: &str = concat!(
    include_str!("../../../fs/src/own_mounts.sh"),
    "set -e; give_up_targets; root=$1; shift
mount --bind $root $root; mount -o remount,bind,suid,dev,exec $root
mount --rbind /proc $root/proc; mount --rbind /dev $root/dev; mount -t sysfs sys $root/sys
mount -t tmpfs run $root/run
for tree in $SHOWN; do mkdir -p $root$tree; mount --bind -o ro $tree $root$tree; done
if [ -n \"$SOURCES\" ]; then
    mkdir -p $root$SOURCES
    mount -t overlay -o lowerdir=$SOURCES,upperdir=$UPPER,workdir=$WORK,metacopy=on sources $root$SOURCES
fi
exec chroot $root env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \"$@\""
);

/// Home of the user who is not root.
const HOME: &str = "/srv/user";

/// The machine.
pub(super) struct Machine {
    root: PathBuf,
    /// Variables of [`ENTER`].
    shown: Vec<(&'static str, PathBuf)>,
}

impl Machine {
    /// `None`, with the reason, where it cannot be had.
    pub(super) fn new(place: &Place) -> Option<Machine> {
        if !root_or_skip("a root directory of its own") || !program_or_skip("debootstrap") {
            return None;
        }
        let Some((name, site)) = source() else {
            skip(Need::Other, "apt does not tell from where this distribution has its packages");
            return None;
        };
        let root = place.path("root");
        let mut debootstrap = Command::new("debootstrap");
        let made =
            debootstrap.args(["--variant=minbase", &name]).arg(&root).arg(site).output().unwrap();
        let said = said(&made);
        if !made.status.success()
            && (said.contains("Failed getting") || said.contains("Couldn't download"))
        {
            skip(Need::Other, "the mirror of this machine cannot be reached");
            return None;
        }
        assert!(made.status.success(), "{said}");
        fs::copy("/etc/resolv.conf", root.join("etc/resolv.conf")).unwrap();
        Some(Machine { root, shown: Vec::new() })
    }

    /// A path in it.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Runs `args` in it.
    pub(super) fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new("unshare");
        command.args(["--mount", "--propagation", "private", "sh", "-c", ENTER, "enter"]);
        command.envs(self.shown.iter().map(|(name, path)| (name, path)));
        command.arg(&self.root).args(args).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs `args` in it and expects success; gives what was printed.
    pub(super) fn ok(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert!(ran.status.success(), "{args:?}: {}", said(&ran));
        text(&ran.stdout)
    }

    /// Shows this repository there with all that is built of it, under the same path, so that cargo has nothing to
    /// build; changes go to a folder of `place`. The Rust toolchain and the fetched crates can only be read.
    pub(super) fn show_sources(&mut self, place: &Place) {
        let shown =
            format!("{} {}", toolchain().display(), cargo_home().join("registry").display());
        self.shown = vec![
            ("SHOWN", shown.into()),
            ("SOURCES", repository()),
            ("UPPER", place.dir("upper")),
            ("WORK", place.dir("work")),
        ];
        // What lies in root's home is for all users of this machine.
        self.ok(&["chmod", "755", "/root"]);
    }

    /// Makes a user who may become root by sudo, and to whom the repository belongs.
    pub(super) fn add_user(&self, name: &str) {
        self.ok(&["useradd", "--create-home", "--home-dir", HOME, name]);
        fs::write(self.path("etc/sudoers.d/all"), format!("{name} ALL=NOPASSWD: ALL\n")).unwrap();
        self.ok(&["chown", "--recursive", name, repository().to_str().unwrap()]);
    }

    /// Runs `make` with `args` in the repository, as `user`, who has the toolchain on PATH.
    pub(super) fn make(&self, user: &str, args: &[&str]) -> Output {
        let (home, path) = match user {
            "root" => ("/root", "/usr/sbin:/usr/bin:/sbin:/bin"),
            _ => (HOME, "/usr/bin:/bin"),
        };
        let variables = [
            format!("HOME={home}"),
            format!("PATH={path}:{}/bin", toolchain().display()),
            format!("CARGO_HOME={}", cargo_home().display()),
        ];
        let user = ["setpriv", "--reuid", user, "--regid", user, "--init-groups"];
        let env = ["env", "CARGO_NET_OFFLINE=true"].into_iter();
        let env = env.chain(variables.iter().map(String::as_str)).collect::<Vec<_>>();
        let repository = repository();
        let make = ["make", "-C", repository.to_str().unwrap()];
        self.run(&[&user[..], &env, &make, args].concat())
    }
}

/// What this distribution is called, and where it has its packages from; `None` where that is not Debian's way.
fn source() -> Option<(String, String)> {
    let release = fs::read_to_string("/etc/os-release").ok()?;
    let name = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="))?.to_string();
    let format = "$(SITE) $(RELEASE) $(COMPONENT)";
    let told = Command::new("apt-get").args(["indextargets", "--format", format]).output().ok()?;
    let of_main = format!(" {name} main");
    let site =
        text(&told.stdout).lines().find_map(|line| Some(line.strip_suffix(&of_main)?.to_string()));
    Some((name, site?))
}

pub(super) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The folder of the Rust toolchain that builds this.
fn toolchain() -> PathBuf {
    let asked = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
    text(&asked.stdout).trim().into()
}

fn cargo_home() -> PathBuf {
    let by_default = || PathBuf::from(env::var_os("HOME").unwrap()).join(".cargo");
    env::var_os("CARGO_HOME").map_or_else(by_default, PathBuf::from)
}

/// All that a command printed.
pub(super) fn said(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}
