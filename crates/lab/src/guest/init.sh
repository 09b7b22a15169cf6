#!/bin/sh
# What every guest does: /mnt/out is the result channel and /mnt/out/command the errand. Its exit
# status in /mnt/out/status is the result; a guest that dies leaves none.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
mkdir -p /proc /sys /run /tmp /dev/shm
mount -t proc proc /proc
mount -t sysfs sys /sys
# What was built for guests, before the memory file systems below hide where it may lie.
mkdir /mnt/cache
mount --bind "$(cat /mnt/out/cache)" /mnt/cache
export ASSAY_CACHE=/mnt/cache
mount -t tmpfs run /run
mount -t tmpfs tmp /tmp
mount -t tmpfs shm /dev/shm
ip link set lo up || ifconfig lo up
# mkfs.nilfs2 wants to read it, and a system without a boot of its own may have none.
[ -e /etc/mtab ] || ln -s /proc/self/mounts /etc/mtab
cd /mnt || exit
/bin/sh /mnt/out/command </dev/null >/mnt/out/log 2>&1
echo $? >/mnt/out/status.new
mv /mnt/out/status.new /mnt/out/status
sync
echo o >/proc/sysrq-trigger
sleep 60
