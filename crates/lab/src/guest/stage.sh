# Runs in a mount and process namespace of its own: shows the guest's directory and disks under
# short fixed names that its unprivileged user can reach, and runs it.
# With a user that may use KVM, shows that user a node of its own, whomever the real one belongs to.
# usage: OUT KVM-USER|- [DISK]... -- [ASSET]... -- COMMAND...
set -e
give_up_targets
mount -t tmpfs -o mode=755 stage /mnt
mkdir -m 755 /mnt/out
mkdir -m 1777 /mnt/uml
mount --bind "$1" /mnt/out
if [ "$2" != - ]; then
    cp -a /dev/kvm /mnt/kvm
    chown "$2:$2" /mnt/kvm
    mount --bind /mnt/kvm /dev/kvm
fi
shift 2
n=0
while [ "$1" != -- ]; do
    : >"/mnt/disk$n"
    mount --bind "$1" "/mnt/disk$n"
    n=$((n + 1))
    shift
done
shift
mkdir -m 755 /mnt/assets
while [ "$1" != -- ]; do
    : >"/mnt/assets/${1##*/}"
    mount --bind "$1" "/mnt/assets/${1##*/}"
    mount -o remount,bind,ro "/mnt/assets/${1##*/}"
    shift
done
shift
# Not by exec: the first process of a namespace cannot abort, which is how the kernel ends a panic.
"$@"
exit
