//! Tests that foreign jobs and suites reach only their directory on the target: as root, as a plain user, on the host
//! and in a guest.

use crate::common::{Disk, Place, copy_program, root_or_skip, smallest, text};
use needs::{Need, skip};
use std::{
    fs,
    os::unix::fs::{FileTypeExt, PermissionsExt},
    path::Path,
    process::{Command, Output},
};

const NOBODY: &str = "65534";

/// Makes a user namespace in which no other can be made, and runs its arguments there.
const NO_NAMESPACES: &str = "exec unshare --user --map-current-user --keep-caps sh -c \
    'echo 0 > /proc/sys/user/max_user_namespaces || exit 99
     exec setpriv --ambient-caps=-all --inh-caps=-all \"$@\"' sh \"$@\"";

/// `args` run by a user who owns `data` in `place` and nothing else.
fn as_user(place: &Place, args: &[&str]) -> Option<Output> {
    by_user(place, args, "exec \"$@\"")
}

/// The same, started by a shell with `script`.
fn by_user(place: &Place, args: &[&str], script: &str) -> Option<Output> {
    if !root_or_skip("becoming another user") {
        return None;
    }
    // The program lies where only its builder may look.
    let program = place.path("assay");
    copy_program(&program);
    fs::set_permissions(place.path("."), fs::Permissions::from_mode(0o777)).unwrap();
    let data = place.dir("data");
    std::os::unix::fs::chown(&data, Some(65534), Some(65534)).unwrap();
    let mut command = Command::new("setpriv");
    command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]);
    command.args(["sh", "-c", script, "sh"]).arg(program).args(args);
    command.current_dir(place.path(".")).env("HOME", place.path("."));
    command.env("ASSAY_STORE", place.path("user.db")).env("ASSAY_STATE", place.path("user"));
    match command.output() {
        Ok(output) => Some(output),
        Err(why) => {
            skip(Need::program("setpriv"), format!("setpriv: {why}"));
            None
        }
    }
}

/// A suite whose one command is `command`.
fn suite(place: &Place, command: &str) {
    let file = format!(
        "name = \"mine\"\nabout = \"x\"\n[[test]]\nkind = \"app\"\nid = \"mine.one\"\nname = \"one\"\n\
         about = \"x\"\ntesttype = \"x\"\ncommand = '''\n{command}\n'''\n"
    );
    fs::write(place.path("mine.toml"), file).unwrap();
}

fn run_args(target: &str) -> Vec<String> {
    smallest("run", "mine.toml", target).map(String::from).to_vec()
}

/// Runs a suite on `data` whose command is `command` and then fails; gives the last line that it said, which
/// is the only thing of it that remains.
fn says(place: &Place, command: &str, more: &[&str]) -> String {
    let data = place.dir("data");
    says_on(place, &format!("dir:{}", data.display()), command, more)
}

/// The same on another target.
fn says_on(place: &Place, target: &str, command: &str, more: &[&str]) -> String {
    suite(
        place,
        &format!(
            "set +e\n{{ {command}\n}} > said 2>&1\necho \"it said: $(tail -n 1 said)\" >&2\nexit 1"
        ),
    );
    let args = run_args(target);
    let args: Vec<&str> = args.iter().map(String::as_str).chain(more.iter().copied()).collect();
    let output = place.assay(&args);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    let shown = place.ok(&["report", "--format", "json"]);
    place.assert_clean();
    let (_, said) = shown.split_once("): it said:").unwrap_or_else(|| panic!("{shown}"));
    said.split('"').next().unwrap_or_default().trim().to_string()
}

#[test]
fn a_job_whose_section_is_a_disk_is_refused() {
    let place = Place::new();
    let Some(disk) = root_or_skip("a loop device").then(Disk::new).flatten() else { return };
    for job in [
        format!("[{}]\nrw=write\nsize=4m\n", disk.node),
        format!("[{}]\nfilename_format=$jobname\nrw=write\nsize=4m\n", disk.node),
        format!("[x]\nfilename={}\nrw=write\nsize=4m\n", disk.node),
        "[../../x]\nrw=write\nsize=1m\n".into(),
        "[/tmp/x]\nrw=write\nsize=1m\n".into(),
        "[x]\nwrite_bw_log=x\nrw=write\nsize=1m\n".into(),
    ] {
        fs::write(place.path("bad.fio"), &job).unwrap();
        let target = format!("dir:{}", place.dir("data").display());
        let args = [
            "run",
            "--suite",
            "fio:bad.fio",
            "--preset",
            "smoke",
            "--scale",
            "smoke",
            "--on",
            &target,
        ];
        let line = place.fails(&args, 2);
        assert!(line.contains("refused"), "{job}: {line}");
        if let Some(output) = as_user(&place, &args) {
            assert_eq!(output.status.code(), Some(2), "{job}: {}", text(&output.stderr));
        }
        // The same on a target of a guest: it is refused before one is booted.
        let args = ["run", "--suite", "fio:bad.fio", "--lab", "uml", "--on", "ext4"];
        place.fails(&args, 2);
        disk.assert_unchanged();
    }
}

#[test]
fn a_command_reaches_no_disk_and_no_file_of_others() {
    if !root_or_skip("confinement as root") {
        return;
    }
    let place = Place::new();
    let Some(disk) = Disk::new() else { return };
    let precious = place.path("precious");
    fs::write(&precious, "as it was").unwrap();
    let minor = disk.node.trim_start_matches("/dev/loop").to_string();
    let try_all = format!(
        "echo x > {0}; echo x > {1}; mknod n b 7 {minor}; echo x > n; mount -t tmpfs none /usr; \
         for f in /etc /usr /root /var /home /sys/kernel /proc/sys/kernel /dev; do echo x > $f/assay-test; done; \
         echo x > /proc/sys/kernel/domainname; echo tried",
        disk.node,
        precious.display(),
    );
    assert!(says(&place, &try_all, &[]).starts_with("tried"));
    disk.assert_unchanged();
    assert_eq!(fs::read_to_string(&precious).unwrap(), "as it was");
    assert!(!Path::new("/etc/assay-test").exists() && !Path::new("/usr/assay-test").exists());
    for (command, answer) in [
        (
            "find / \\( -path /proc -o -path /usr -o -path /sys -o -path /root \\) -prune -o -type b -print 2> /dev/null | wc -l",
            "0",
        ),
        ("id -u", NOBODY),
        ("grep CapEff /proc/self/status | cut -f 2", "0000000000000000"),
        ("grep CapBnd /proc/self/status | cut -f 2", "0000000000000000"),
        ("grep NoNewPrivs /proc/self/status | cut -f 2", "1"),
        ("echo y > /tmp/y && cat /tmp/y", "y"),
        ("ls /dev | tr '\\n' ' '", "fd full null random shm stderr stdin stdout tty urandom zero "),
        ("test -O . && stat -c %a ..", "755"),
        ("ls /run /var /mnt /boot 2> /dev/null | wc -l", "0"),
        ("ls -A /sys/class/net | tr '\\n' ' '; ip -o link 2> /dev/null | wc -l", "1"),
    ] {
        let said = says(&place, command, &[]);
        let is_there = !command.contains("ip -o") || Path::new("/sbin/ip").exists();
        assert!(!is_there || said.ends_with(answer.trim_end()), "{command}: {said}");
    }
}

#[test]
fn a_command_in_a_guest_reaches_no_disk_of_it() {
    if !needs::uml_or_skip() {
        return;
    }
    let place = Place::new();
    let command = "echo x > /dev/ubda; mknod n b 98 0; echo x > n; \
                   echo uid=$(id -u) nodes=$(find /dev /tmp /etc -type b | wc -l) \
                   caps=$(grep CapEff /proc/self/status | cut -f 2)";
    let said = says_on(&place, "ext4", command, &["--lab", "uml"]);
    assert_eq!(said, "uid=65534 nodes=0 caps=0000000000000000");
}

#[test]
fn a_command_cannot_leave_a_link_behind_for_root() {
    if !root_or_skip("confinement as root") {
        return;
    }
    let place = Place::new();
    let precious = place.dir("precious");
    fs::write(precious.join("file"), "as it was").unwrap();
    // The tests of this program and the next run of the command meet what it planted.
    let link = format!(
        "ln -s {0}/file .prepared-mine.one; ln -s {0} ../w0; ln -s {0} ../../w0; echo planted",
        precious.display()
    );
    assert_eq!(says(&place, &link, &["--blocks", "2"]), "planted");
    assert_eq!(fs::read_to_string(precious.join("file")).unwrap(), "as it was");
    assert_eq!(fs::read_dir(&precious).unwrap().count(), 1);
}

#[test]
fn nothing_that_a_command_starts_outlives_it() {
    if !root_or_skip("confinement as root") {
        return;
    }
    let place = Place::new();
    let mark = format!("7{:05}", std::process::id() % 100_000);
    suite(&place, &format!("setsid sleep {mark} & sleep {mark} & echo done"));
    let target = format!("dir:{}", place.dir("data").display());
    let args = run_args(&target);
    place.ok(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let running = fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        text(&line).replace('\0', " ").trim() == format!("sleep {mark}")
    });
    assert!(!running);
    place.assert_clean();
}

#[test]
fn a_plain_user_is_confined_too_or_refused() {
    let place = Place::new();
    fs::write(place.path("precious"), "as it was").unwrap();
    fs::set_permissions(place.path("precious"), fs::Permissions::from_mode(0o666)).unwrap();
    suite(&place, &format!("echo x > {}", place.path("precious").display()));
    fs::set_permissions(place.path("mine.toml"), fs::Permissions::from_mode(0o644)).unwrap();
    let target = format!("dir:{}", place.path("data").display());
    let args = run_args(&target);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let Some(output) = as_user(&place, &args) else { return };
    let (status, said) = (output.status.code(), text(&output.stderr));
    assert_eq!(fs::read_to_string(place.path("precious")).unwrap(), "as it was", "{said}");
    // Confined, the command writes to a /tmp of its own; where user namespaces are forbidden nothing runs.
    assert!(
        matches!(status, Some(0 | 4)) || status == Some(2) && said.contains("--unconfined"),
        "{said}"
    );

    let open = [&args[..], &["--unconfined"]].concat();
    let output = as_user(&place, &open).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("ran unconfined"), "{}", text(&output.stdout));
    assert_eq!(fs::read_to_string(place.path("precious")).unwrap(), "x\n");
}

/// Where the kernel forbids user namespaces, what is parsed and known runs, and nothing else.
#[test]
fn without_namespaces_only_what_is_known_runs() {
    let place = Place::new();
    let target = format!("dir:{}", place.path("data").display());
    let run = |suite: &str| {
        let args = [
            "run", "--suite", suite, "--preset", "smoke", "--scale", "smoke", "--procs", "1",
            "--on", &target,
        ];
        by_user(&place, &args, NO_NAMESPACES)
    };
    suite(&place, "touch ran");
    let Some(output) = run("mine.toml") else { return };
    if output.status.code() == Some(99) || text(&output.stderr).contains("unshare:") {
        skip(Need::Namespaces, text(&output.stderr));
        return;
    }
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("the commands of mine.toml cannot be sandboxed without root"), "{said}");
    fs::write(place.path("x.fio"), "[a]\nrw=write\nsize=1m\nblobfish=1\n").unwrap();
    let output = run("fio:x.fio").unwrap();
    let said = text(&output.stderr);
    // Without fio that is said first.
    if output.status.code() == Some(3) {
        skip(Need::program("fio"), said);
        return;
    }
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("the option `blobfish` in [a]"), "{said}");
    fs::write(place.path("x.fio"), "[a]\nrw=write\nsize=1m\n").unwrap();
    let output = run("fio:x.fio").unwrap();
    assert!(text(&output.stdout).contains("ran unconfined"), "{}", text(&output.stderr));
}

#[test]
fn only_the_command_line_lets_programs_out() {
    let place = Place::new();
    let target = format!("dir:{}", place.dir("data").display());
    fs::write(place.path("p.toml"), format!("targets = [\"{target}\"]\nunconfined = true\n"))
        .unwrap();
    assert!(place.fails(&["run", "p.toml"], 2).contains("unconfined"));
    suite(&place, "true\n'''\nunconfined = true\ncleanup = '''true");
    let args = run_args(&target);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    assert!(place.fails(&args, 2).contains("unconfined"));
}

#[test]
fn a_loop_device_is_a_block_device() {
    if !root_or_skip("a loop device") {
        return;
    }
    let place = Place::new();
    let Some(disk) = Disk::new() else { return };
    assert!(fs::metadata(&disk.node).unwrap().file_type().is_block_device());
    // Unconfined, as the user asked, the same command does reach it: the other tests can fail.
    says(&place, &format!("printf x > {}", disk.node), &["--unconfined"]);
    assert_eq!(fs::read(&disk.image).unwrap()[0], b'x');
}
