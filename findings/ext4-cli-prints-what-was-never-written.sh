#!/usr/bin/env bash
# ext4-cli 0.0.5 (PyPI): `ext4-cli cat` reads a file that fallocate(2) has given its blocks, but that has not been written, from
# those blocks, as if the extent were not marked as unwritten: it prints what the disk held before. The kernel, debugfs and
# ext2py 0.1.0 (PyPI) read zeros, as ext4 has it. Copies of databases and of virtual disks, which reserve their space so,
# come out as other files of the same size. The image is filled with A before mke2fs, as a used disk is.
#
# Seen:
#   debugfs: 4 bytes of text, 65532 zeros, 0 A
#   ext2py: 4 bytes of text, 65532 zeros, 0 A
#   ext4-cli: 4 bytes of text, 4092 zeros, 61440 A
#
# Needs neither root nor a mount. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq e2fsprogs=1.47.0-2+b2 libext2fs2=1.47.0-2+b2 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
export LD_LIBRARY_PATH=$dir/package/lib/$(uname -m)-linux-gnu PATH=$dir/package/sbin:$PATH
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install ext4-cli==0.0.5 ext2py==0.1.0

head -c 16M /dev/zero | tr '\0' A >image
mke2fs -q -F -t ext4 -b 4096 -E nodiscard image
printf text >file
printf '%s\n' "write file file" "fallocate file 1 15" "set_inode_field file size 65536" |
    debugfs -w -f - image >/dev/null 2>&1

parts() {
    local reader=$1
    shift
    "$@" >out
    echo "$reader: $(tr -d 'A\0' <out | wc -c) bytes of text, $(tr -dc '\0' <out | wc -c) zeros, $(tr -dc A <out | wc -c) A"
}
seen="$(parts debugfs debugfs -R "cat /file" image 2>/dev/null)
$(parts ext2py venv/bin/ext2py cat image /file)
$(parts ext4-cli venv/bin/ext4-cli --source image cat /file)"
echo "$seen"
[ "$seen" = 'debugfs: 4 bytes of text, 65532 zeros, 0 A
ext2py: 4 bytes of text, 65532 zeros, 0 A
ext4-cli: 4 bytes of text, 4092 zeros, 61440 A' ] || { echo "this has changed"; exit 1; }
