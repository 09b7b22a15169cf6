#!/bin/sh
# Installs what building and running assay needs and this machine lacks, from the system's own
# package manager: a C compiler and the static C library (SQLite is compiled in, and the program is
# one static file), and the programs that make and attach file systems, without which assay has
# fewer candidates. Says what it will install before it does; does nothing when all is there, and
# starts no service. `setup.sh tests` also installs what only tests run.
set -eu

PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
missing=""
packages=""
required=no

die() {
    echo "setup: $*" >&2
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

# want WHAT DEBIAN_PACKAGES RHEL_PACKAGES
want() {
    names=$([ "$manager" = dnf ] && echo "$3" || echo "$2")
    missing="$missing
  $1 ($names)"
    packages="$packages $names"
}

# The same for what the build cannot do without.
need() {
    required=yes
    want "$@"
}

# Ends the setup after a failure: an error only when the build would fail too.
give_up() {
    [ "$required" = no ] || die "$*"
    echo "setup: $*; going on without" >&2
    exit 0
}

can_link_static() {
    echo 'int main(void) { return 0; }' | cc -static -x c -o /dev/null - 2>/dev/null
}

# RHEL and its clones ship neither the module nor the tools; there is nothing to install.
kernel_knows() {
    grep -qw "$1" /proc/filesystems || modprobe -nq "$1" 2>/dev/null
}

# The id of the repository that holds glibc-static on RHEL and its clones; Fedora needs none.
developer_repository() {
    dnf -q repolist --all | awk '{ print $1 }' |
        grep -E -m1 '^(crb|powertools|codeready-builder-for-rhel-[0-9]+-.*-rpms)$' || true
}

# While packages are installed, policy-rc.d of Debian answers that no service may be started: assay
# runs the servers that it needs itself, inside its labs. One setup installs at a time and holds a lock
# on the folder of that file. The file asks for the lock, so that one that a killed setup left forbids
# nothing; the next setup removes it. An answer of the administrator stays.
policy=${SETUP_POLICY:-/usr/sbin/policy-rc.d} # another place in tests
policy_dir=${policy%/*}
policy_mark="# made by the setup of assay while it installs packages; remove it when no setup runs"
patience_s=1800

give_up_policy() {
    # Before it has its name and its mark, it has this name.
    if [ -e "$policy.assay-setup" ]; then
        $sudo rm -f "$policy.assay-setup"
    fi
    if [ -f "$policy" ] && grep -qxF "$policy_mark" "$policy"; then
        $sudo rm -f "$policy"
    fi
}

# Removes what a killed setup left, unless another setup is installing.
give_up_stale_policy() {
    has flock || return 0
    (! flock --nonblock 9 || give_up_policy) 9<"$policy_dir"
}

lock_policy() {
    flock --nonblock 9 && return
    echo "setup: another setup is installing packages; waiting for it"
    flock --timeout "$patience_s" 9 && return
    echo "setup: it did not end within $patience_s s" >&2
    return 1
}

without_services() {
    exec 9<"$policy_dir"
    lock_policy || return
    give_up_policy
    if [ -e "$policy" ]; then
        "$@"
        return
    fi
    trap give_up_policy EXIT
    for signal in HUP INT QUIT PIPE TERM; do
        # shellcheck disable=SC2064  # the name of this signal
        trap "trap - $signal; give_up_policy; kill -$signal $$" "$signal"
    done
    $sudo tee "$policy.assay-setup" >/dev/null <<END
#!/bin/sh
$policy_mark
flock --nonblock --shared "$policy_dir" true || exit 101
END
    $sudo chmod 755 "$policy.assay-setup"
    $sudo mv "$policy.assay-setup" "$policy"
    "$@" && status=0 || status=$?
    give_up_policy
    return "$status"
}

# install_with MANAGER PACKAGE...
install_with() {
    if [ "$1" = dnf ]; then
        repository=$(developer_repository)
        shift
        $sudo dnf install -y ${repository:+--enablerepo="$repository"} "$@"
    else
        shift
        $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
    fi
}

# One package that cannot be had would keep all others out: then each is installed alone.
install_each() {
    # shellcheck disable=SC2086  # a list of package names
    install_with "$manager" $packages && return
    failed=""
    for package in $packages; do
        install_with "$manager" "$package" || failed="$failed $package"
    done
    [ -z "$failed" ] || echo "setup: not installed:$failed" >&2
    [ -z "$failed" ]
}

install_packages() {
    if [ "$manager" = dnf ]; then
        install_each
    else
        $sudo apt-get update -qq || echo "setup: apt-get update failed; trying with the lists that are here" >&2
        without_services install_each
    fi
}

sudo=""
if [ "$(id -u)" -ne 0 ]; then
    has sudo && sudo=sudo || sudo=none
fi
[ "$sudo" = none ] || give_up_stale_policy

has cargo || die "cargo is not on PATH; install Rust 1.89 or newer from https://rustup.rs, then run this again"

manager=none
if has apt-get; then manager=apt-get; elif has dnf; then manager=dnf; fi

has cc || need "a C compiler" "gcc libc6-dev" "gcc"
can_link_static || need "the static C library" "libc6-dev" "glibc-static"
has mkfs.ext4 || want "mkfs.ext4" "e2fsprogs" "e2fsprogs"
has mkfs.xfs || want "mkfs.xfs" "xfsprogs" "xfsprogs"
if [ "$manager" != dnf ] || kernel_knows btrfs; then
    has mkfs.btrfs || want "mkfs.btrfs" "btrfs-progs" "btrfs-progs"
fi
# What other file systems are made with, here or in a virtual lab where this kernel lacks them.
if [ "$manager" = apt-get ]; then
    has linux.uml || want "User-Mode Linux, a lab for what this kernel lacks" "user-mode-linux" ""
    has mkfs.f2fs || want "mkfs.f2fs" "f2fs-tools" ""
    has mkfs.nilfs2 || want "mkfs.nilfs2" "nilfs-tools" ""
    has mkfs.jfs || want "mkfs.jfs" "jfsutils" ""
    has mkfs.ntfs || want "mkfs.ntfs" "ntfs-3g" ""
    has mkfs.exfat || want "mkfs.exfat" "exfatprogs" ""
    has bindfs || want "bindfs" "bindfs" ""
    has mergerfs || want "mergerfs" "mergerfs" ""
    has gocryptfs || want "gocryptfs" "gocryptfs" ""
    has fusermount3 || want "fusermount3" "fuse3" ""
    has make-bcache || want "make-bcache" "bcache-tools" ""
    has nbdkit || want "nbdkit" "nbdkit" ""
    has nbd-client || want "nbd-client" "nbd-client" ""
    has rpcbind || want "rpcbind" "rpcbind" ""
    has cryptsetup || want "cryptsetup" "cryptsetup-bin" ""
    has lvcreate || want "lvcreate" "lvm2" ""
    has thin_check || want "thin_check" "thin-provisioning-tools" ""
    # A guest loads its modules itself.
    has insmod || want "insmod" "kmod" ""
    has ip || want "ip" "iproute2" ""
fi
if [ "$manager" != none ]; then
    has mdadm || want "mdadm" "mdadm" "mdadm"
    has mount.nfs || want "mount.nfs" "nfs-common" "nfs-utils"
    has exportfs || want "exportfs" "nfs-kernel-server" "nfs-utils"
fi
has losetup || want "losetup and mount" "util-linux mount" "util-linux"
# What only tests run.
if [ "${1:-}" = tests ] && [ "$manager" != none ]; then
    for program in debootstrap fio sysbench bonnie++ chromium git cpio rpm rclone; do
        has "$program" || want "$program" "$program" "$program"
    done
    has rpmbuild || want "rpmbuild" "rpm" "rpm-build"
    has sfdisk || want "sfdisk" "fdisk" "util-linux"
    has mkfs.vfat || want "mkfs.vfat" "dosfstools" "dosfstools"
    has s3fs || want "s3fs" "s3fs" "s3fs-fuse"
    has sshfs || want "sshfs" "sshfs openssh-sftp-server" "fuse-sshfs openssh-server"
    /usr/bin/python3 -c "import ensurepip, venv" 2>/dev/null || want "Python's venv" "python3-venv" "python3-pip"
fi
if [ "${1:-}" = tests ] && [ "$manager" = apt-get ]; then
    has glusterfsd || want "glusterfs" "glusterfs-server glusterfs-client" ""
    has zfs-fuse || has zpool || want "zfs-fuse" "zfs-fuse" ""
fi

if [ -z "$packages" ]; then
    echo "setup: nothing to install"
    exit 0
fi

echo "setup: missing here:$missing"
[ "$manager" != none ] || give_up "neither apt-get nor dnf is here; install these by hand"
[ "$sudo" != none ] || give_up "not root and no sudo; as root, run: $manager install$packages"
echo "setup: installing$packages with ${sudo:+sudo }$manager"
if ! install_packages; then
    ! has cc || ! can_link_static || required=no
    give_up "$manager failed"
fi
