#!/usr/bin/env bash
# squashfs-tools-ng 1.2.0-1 (Debian 12): `rdsquashfs -u / -X -O` unpacks an image with its extended attributes and its owners.
# It sets the attributes first and the owner after them. The kernel drops `security.capability` of a file that gets an owner, so
# that no program keeps its capabilities, not even one that already belonged to root. All other attributes are there, nothing is
# printed, the status is 0. unsquashfs of squashfs-tools 1:4.5.1-1 sets the owner first and keeps them. A root file system that
# was unpacked so has a ping that cannot open its socket.
#
# Seen, of a program of 1000:1000 with a capability and user.k:
#   unsquashfs: 1000:1000, security.capability, user.k
#   rdsquashfs -X: 0:0, security.capability, user.k
#   rdsquashfs -X -O: 1000:1000, user.k
#   of a program of root, rdsquashfs -X -O: 0:0, user.k
#
# Needs root, setcap, python3 and a directory for temporary files that has extended attributes. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d -p /var/tmp)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq squashfs-tools-ng=1.2.0-1 libsquashfs1=1.2.0-1 squashfs-tools=1:4.5.1-1 \
    libselinux1 liblzo2-2 liblz4-1 libzstd1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
machine=$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$dir/package/usr/lib/$machine:$dir/package/lib/$machine PATH=$dir/package/usr/bin:$PATH:/usr/sbin:/sbin

mkdir tree
for owner in 1000 0; do
    echo program >"tree/$owner"
    chown "$owner:$owner" "tree/$owner"
    setcap cap_net_raw+ep "tree/$owner"
    python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.k", b"value")' "tree/$owner"
done
mksquashfs tree image -quiet -no-progress >/dev/null
unsquashfs -quiet -no-progress -d by-unsquashfs image >/dev/null
mkdir attributes owners
rdsquashfs -q -u / -p attributes -X image
rdsquashfs -q -u / -p owners -X -O image

has() {
    python3 -c 'import os, sys
at = os.lstat(sys.argv[1])
print(f"{at.st_uid}:{at.st_gid}", *sorted(os.listxattr(sys.argv[1])), sep=", ")' "$1"
}
seen="unsquashfs: $(has by-unsquashfs/1000)
rdsquashfs -X: $(has attributes/1000)
rdsquashfs -X -O: $(has owners/1000)
of a program of root, rdsquashfs -X -O: $(has owners/0)"
echo "$seen"
[ "$seen" = 'unsquashfs: 1000:1000, security.capability, user.k
rdsquashfs -X: 0:0, security.capability, user.k
rdsquashfs -X -O: 1000:1000, user.k
of a program of root, rdsquashfs -X -O: 0:0, user.k' ] || { echo "this has changed"; exit 1; }
