#!/usr/bin/env bash
# bindfs 1.14.7-1, unionfs-fuse 1.0-1+b1, mergerfs 2.33.5-1 and encfs 1.9.5-2 (Debian 12) show the files of another
# folder through FUSE. A name is durable once the directory that holds it is synced, as fsync(2) says. Expected: all
# four hand such an fsync down, as they do with that of a file. None of them does, and the call ends with 0 all the
# same: the file system below is not told. A database or a queue that does all that it should loses new files in a
# crash, and a benchmark finds such an fsync faster than any disk can be. gocryptfs 2.3-1+b4 hands it down. bindfs also
# makes an fsync of each fdatasync. What strace sees of each of them where a file is written and synced by both calls,
# and then its directory by fsync:
#
# Seen:
#   bindfs: fsync of the file, fsync of the file
#   unionfs-fuse: fsync of the file, fdatasync of the file
#   mergerfs: fsync of the file, fdatasync of the file
#   encfs: fsync of the file, fdatasync of the file
#   gocryptfs: fsync of the file, fsync of the file, fsync of the directory
#
# Needs root, /dev/fuse, and python3. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
undo() {
    ! mountpoint -q "$dir/mnt" || umount "$dir/mnt"
    wait
    rm -rf "$dir"
}
trap undo EXIT
cd "$dir"
apt-get download -qq bindfs=1.14.7-1 unionfs-fuse=1.0-1+b1 mergerfs=2.33.5-1 encfs=1.9.5-2 gocryptfs=2.3-1+b4 \
    libfuse2=2.9.9-6+b1 libtinyxml2-9=9.0.0+dfsg-3.1 strace=6.1-0.1 libunwind8=1.6.2-3 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
libs=package/usr/lib
libs=$dir/package/lib/$(uname -m)-linux-gnu:$dir/$libs/$(uname -m)-linux-gnu:$dir/$libs/encfs
mkdir below mnt
echo secret >password

cat >sync.py <<'END'
import os

os.makedirs("mnt/folder")
file = os.open("mnt/folder/file", os.O_CREAT | os.O_WRONLY)
os.write(file, b"some text")
os.fsync(file)
os.fdatasync(file)
os.close(file)
folder = os.open("mnt/folder", os.O_RDONLY | os.O_DIRECTORY)
os.fsync(folder)  # Raises an error where it fails.
END

# NAME PROGRAM ARGUMENTS: what reaches the folder below, in which names may be encrypted.
synced() {
    local name=$1 program=$dir/package/usr/bin/$2 server
    shift 2
    LD_LIBRARY_PATH=$libs package/usr/bin/strace -f -y -qq -e trace=fsync,fdatasync,syncfs,sync -o calls \
        "$program" "$@" >log 2>&1 &
    server=$!
    for ((i = 0; i < 100; i++)); do
        mountpoint -q mnt && break
        sleep 0.1
    done
    python3 sync.py
    umount mnt
    wait "$server"
    echo "$name: $(sed -nE '
        s/.* (fsync|fdatasync)\([0-9]+<[^>]*\/below\/[^/>]+\/[^/>]+>.*/\1 of the file/p
        s/.* (fsync|fdatasync)\([0-9]+<[^>]*\/below\/[^/>]+>.*/\1 of the directory/p
        s/.* (syncfs|sync)\(.*/\1/p' calls | paste -sd, | sed 's/,/, /g')"
    rm -rf below
    mkdir below
}

seen=$(
    synced bindfs bindfs -f below mnt
    synced unionfs-fuse unionfs -f "$dir/below=RW" "$dir/mnt"
    synced mergerfs mergerfs -f "$dir/below" mnt
    synced encfs encfs -f --standard --extpass="cat $dir/password" "$dir/below" "$dir/mnt"
    package/usr/bin/gocryptfs -q -init -scryptn 10 -passfile password below >/dev/null
    synced gocryptfs gocryptfs -fg -passfile password below mnt
)
echo "$seen"
[ "$seen" = 'bindfs: fsync of the file, fsync of the file
unionfs-fuse: fsync of the file, fdatasync of the file
mergerfs: fsync of the file, fdatasync of the file
encfs: fsync of the file, fdatasync of the file
gocryptfs: fsync of the file, fsync of the file, fsync of the directory' ] || { echo "this has changed"; exit 1; }
