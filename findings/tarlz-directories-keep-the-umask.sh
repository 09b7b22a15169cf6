#!/usr/bin/env bash
# tarlz 0.23-3 (Debian 12): `tarlz -xp` does not subtract the umask from the modes that it restores, and root need not even ask
# for it. That holds for files, but not for directories. A directory is made with the mode that the archive has, from which
# mkdir(2) takes the umask and the setgid bit, and nothing sets it again; nor is the time of one set that has files. With the
# usual umask of 022, a /tmp of 1777 becomes one of 1755 where nobody but root can write, and one of 2775 that a group shares
# becomes 755. The archive is right: tarlz lists 2775, and GNU tar restores it.
#
# Seen:
#   in the archive: directory drwxrwsr-x, file -rwxrwsr-x
#   tarlz -xp: tmp 1755, shared 755 of today, file 2775 of 2020
#   GNU tar -xp: tmp 1777, shared 2775 of 2020, file 2775 of 2020
#
# Needs root and GNU tar. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq tarlz=0.23-3 liblz1=1.13-5 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
export LD_LIBRARY_PATH=$dir/package/usr/lib/$(uname -m)-linux-gnu PATH=$dir/package/usr/bin:$PATH
umask 022

mkdir -p tree/tmp tree/shared
echo text >tree/shared/file
chmod 1777 tree/tmp
chmod 2775 tree/shared tree/shared/file
touch -d '2020-06-01 12:00 UTC' tree/shared/file tree/shared
tarlz -0 -cf archive.tar.lz tree
tarlz --uncompressed -cf archive.tar tree

when() { [ "$(date -r "$1" +%Y)" = 2020 ] && echo 2020 || echo today; }
restored() {
    echo "tmp $(stat -c %a "$1/tree/tmp"), shared $(stat -c %a "$1/tree/shared") of $(when "$1/tree/shared")," \
        "file $(stat -c %a "$1/tree/shared/file") of $(when "$1/tree/shared/file")"
}
mkdir by-tarlz by-tar
tarlz -xpf archive.tar.lz -C by-tarlz
tar -xpf archive.tar -C by-tar
seen="in the archive: directory $(tarlz -tvf archive.tar.lz | awk '/shared$/ { print $1 }'), file $(
    tarlz -tvf archive.tar.lz | awk '/file$/ { print $1 }')
tarlz -xp: $(restored by-tarlz)
GNU tar -xp: $(restored by-tar)"
echo "$seen"
[ "$seen" = 'in the archive: directory drwxrwsr-x, file -rwxrwsr-x
tarlz -xp: tmp 1755, shared 755 of today, file 2775 of 2020
GNU tar -xp: tmp 1777, shared 2775 of 2020, file 2775 of 2020' ] || { echo "this has changed"; exit 1; }
