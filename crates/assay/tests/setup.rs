//! The setup script, killed while it installs or next to another one: services may be started again afterwards and not
//! before, and an administrator's own answer stays. Its package manager is a stand-in.

use crate::common::{Place, wait_for};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs::{self, File},
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

/// What the script itself runs; without a compiler among it, there is something to install.
const TOOLS: [&str; 12] =
    ["sh", "id", "rm", "mv", "cat", "chmod", "grep", "sleep", "env", "tee", "flock", "true"];
const INSTALLER: &str = "#!/bin/sh
[ \"$1\" = install ] || exit 0
copy() { while read -r line; do echo \"$line\"; done; }
[ ! -e \"$SETUP_POLICY\" ] || [ -e seen ] || copy <\"$SETUP_POLICY\" >seen
echo >>begun
until [ -e go ] || [ ! -d etc ]; do sleep 0.05; done
echo >ended
exit 100
";

struct Setup {
    place: Place,
    policy: PathBuf,
}

impl Setup {
    fn new() -> Setup {
        let place = Place::new();
        let bin = place.dir("bin");
        for tool in TOOLS {
            let found = ["/usr/bin", "/bin"].map(|dir| Path::new(dir).join(tool));
            symlink(found.iter().find(|path| path.exists()).unwrap(), bin.join(tool)).unwrap();
        }
        for (name, text) in [
            ("cargo", "#!/bin/sh\n"),
            ("sudo", "#!/bin/sh\nexec \"$@\"\n"),
            ("dnf", "#!/bin/sh\nexit 100\n"),
            ("apt-get", INSTALLER),
        ] {
            fs::write(bin.join(name), text).unwrap();
            fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        Setup { policy: place.dir("etc").join("policy-rc.d"), place }
    }

    /// Starts it and returns when packages are being installed.
    fn start(&self) -> Child {
        for name in ["begun", "go", "seen", "ended"] {
            let _ = fs::remove_file(self.place.path(name));
        }
        let child = self.spawn();
        wait_for("installation", || self.begun() == 1);
        child
    }

    fn spawn(&self) -> Child {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/setup.sh");
        let mut setup = Command::new(self.place.path("bin/sh"));
        setup.arg(script).env("PATH", self.place.path("bin")).env("SETUP_POLICY", &self.policy);
        let said = File::create(self.place.path("said")).unwrap();
        setup.current_dir(self.place.path("")).stdout(said).stderr(Stdio::null());
        setup.spawn().unwrap()
    }

    /// How many installations have begun.
    fn begun(&self) -> usize {
        self.text("begun").lines().count()
    }

    /// Lets the package manager end.
    fn end(&self, mut child: Child) -> ExitStatus {
        fs::write(self.place.path("go"), "").unwrap();
        let status = child.wait().unwrap();
        // It may outlive a setup that was killed.
        wait_for("end of the package manager", || self.place.path("ended").exists());
        status
    }

    /// What the package manager saw of the answer.
    fn seen(&self) -> String {
        self.text("seen")
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.place.path(name)).unwrap_or_default()
    }

    /// Whether the answer, where there is one, lets a service be started.
    fn allows_services(&self) -> bool {
        !self.policy.exists() || Command::new(&self.policy).status().unwrap().success()
    }
}

fn send(signal: Signal, child: &Child) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn no_service_is_started_meanwhile_and_afterwards_they_may_be() {
    let setup = Setup::new();
    let child = setup.start();
    assert!(!setup.allows_services());
    assert!(!setup.end(child).success(), "no compiler came");
    assert!(setup.seen().contains("exit 101") && !setup.policy.exists());
}

#[test]
fn second_setup_waits_and_keeps_services_off() {
    let setup = Setup::new();
    let first = setup.start();
    let second = setup.spawn();
    let is_told = || setup.text("said").contains("another setup");
    wait_for("second setup", || is_told() || setup.begun() > 1);
    assert!(setup.begun() == 1 && !setup.allows_services());

    fs::remove_file(setup.place.path("seen")).unwrap();

    // The end of the first leaves the answer to the second.
    send(Signal::TERM, &first);
    setup.end(first);
    wait_for("second installation", || setup.begun() > 1);
    assert!(setup.seen().contains("exit 101"));
    setup.end(second);
    assert!(!setup.policy.exists());
}

#[test]
fn setup_without_work_keeps_services_off_for_another() {
    let setup = Setup::new();
    let first = setup.start();
    // Ends before it installs, as it finds no cargo.
    let cargo = setup.place.path("bin/cargo");
    fs::rename(&cargo, setup.place.path("cargo")).unwrap();
    assert!(!setup.spawn().wait().unwrap().success());
    assert!(!setup.allows_services());
    setup.end(first);
    assert!(!setup.policy.exists());
}

#[test]
fn killed_setup_forbids_no_service_afterwards() {
    let setup = Setup::new();
    let child = setup.start();
    send(Signal::KILL, &child);
    assert!(!setup.allows_services(), "the package manager is still at work");
    setup.end(child);
    wait_for("end of the package manager", || setup.allows_services());
}

#[test]
fn no_signal_leaves_the_answer_behind() {
    for signal in [Signal::HUP, Signal::INT, Signal::QUIT, Signal::PIPE, Signal::TERM] {
        let setup = Setup::new();
        let child = setup.start();
        send(signal, &child);
        assert!(!setup.end(child).success(), "{signal:?}");
        assert!(!setup.policy.exists(), "{signal:?}");
    }
}

#[test]
fn what_a_killed_setup_left_is_known_by_the_next() {
    let setup = Setup::new();
    let child = setup.start();
    send(Signal::KILL, &child);
    setup.end(child);
    assert!(setup.policy.exists());
    let child = setup.start();
    assert!(setup.seen().contains("exit 101"));
    setup.end(child);
    assert!(!setup.policy.exists());
    // Killed before it had its name.
    let half = setup.policy.with_file_name("policy-rc.d.assay-setup");
    fs::write(&half, "").unwrap();
    setup.end(setup.start());
    assert!(!half.exists() && !setup.policy.exists());
}

#[test]
fn an_answer_of_the_administrator_stays() {
    let setup = Setup::new();
    let own = "#!/bin/sh\nexit 101\n";
    fs::write(&setup.policy, own).unwrap();
    for signal in [Signal::TERM, Signal::KILL] {
        let child = setup.start();
        assert_eq!(setup.seen(), own);
        send(signal, &child);
        setup.end(child);
        assert_eq!(fs::read_to_string(&setup.policy).unwrap(), own);
    }
}
