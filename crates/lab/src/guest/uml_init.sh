#!/bin/sh
# First process of User-Mode Linux. Its root is that of the host, read-only; a memory file system
# laid over it takes what the guest writes, and is gone with it.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH
# Where the kernel runs in a user namespace, what root owns seems to be nobody's, mount too.
[ "$1" = again ] || exec setpriv --no-new-privs /bin/sh "$0" again
modules=/usr/lib/uml/modules
mount -n -t proc proc /proc
insmod "$modules/$(uname -r)/kernel/fs/overlayfs/overlay.ko"
mount -n -t tmpfs over /tmp
mkdir /tmp/upper /tmp/work /tmp/root
mount -n -t overlay root -o lowerdir=/,upperdir=/tmp/upper,workdir=/tmp/work /tmp/root
cd /tmp/root || exit
mount -n --move /dev dev
mount -n -t tmpfs mnt mnt
mkdir -p mnt/out mnt/assets lib/modules
mount -n -t hostfs out mnt/out -o /mnt/out
mount -n -t hostfs -o ro assets mnt/assets -o /mnt/assets
mount -n --bind ".$modules" lib/modules
pivot_root . tmp
umount -n -l tmp
exec chroot . /bin/sh /mnt/out/init
