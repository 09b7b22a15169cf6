//! The setup script, killed while it installs: services may be started again afterwards, by itself or by the
//! next setup, and an administrator's own answer stays. Its package manager is a stand-in.

use crate::common::{Place, wait_for};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

/// What the script itself runs; without a compiler among it, there is something to install.
const TOOLS: [&str; 11] =
    ["sh", "id", "rm", "mv", "cat", "chmod", "grep", "sleep", "env", "tee", "touch"];
const INSTALLER: &str = "#!/bin/sh
[ \"$1\" = install ] || exit 0
copy() { while read -r line; do echo \"$line\"; done; }
[ ! -e \"$SETUP_POLICY\" ] || copy <\"$SETUP_POLICY\" >seen
touch begun
until [ -e go ] || [ ! -d etc ]; do sleep 0.05; done
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
        for name in ["begun", "go", "seen"] {
            let _ = fs::remove_file(self.place.path(name));
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/setup.sh");
        let mut setup = Command::new(self.place.path("bin/sh"));
        setup.arg(script).env("PATH", self.place.path("bin")).env("SETUP_POLICY", &self.policy);
        setup.current_dir(self.place.path("")).stdout(Stdio::null()).stderr(Stdio::null());
        let child = setup.spawn().unwrap();
        wait_for("installation", || self.place.path("begun").exists());
        child
    }

    /// Lets the package manager end.
    fn end(&self, mut child: Child) -> ExitStatus {
        fs::write(self.place.path("go"), "").unwrap();
        child.wait().unwrap()
    }

    /// What the package manager saw of the answer.
    fn seen(&self) -> String {
        fs::read_to_string(self.place.path("seen")).unwrap_or_default()
    }
}

fn send(signal: u32, child: &Child) {
    let sent = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn no_service_is_started_meanwhile_and_afterwards_they_may_be() {
    let setup = Setup::new();
    let child = setup.start();
    assert!(setup.policy.exists());
    assert!(!setup.end(child).success(), "no compiler came");
    assert!(setup.seen().contains("exit 101") && !setup.policy.exists());
}

#[test]
fn no_signal_leaves_the_answer_behind() {
    // HUP, INT, QUIT, PIPE, TERM.
    for signal in [1, 2, 3, 13, 15] {
        let setup = Setup::new();
        let child = setup.start();
        send(signal, &child);
        assert!(!setup.end(child).success(), "{signal}");
        assert!(!setup.policy.exists(), "{signal}");
    }
}

#[test]
fn what_a_killed_setup_left_is_known_by_the_next() {
    let setup = Setup::new();
    let child = setup.start();
    send(9, &child);
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
    for signal in [15, 9] {
        let child = setup.start();
        assert_eq!(setup.seen(), own);
        send(signal, &child);
        setup.end(child);
        assert_eq!(fs::read_to_string(&setup.policy).unwrap(), own);
    }
}
