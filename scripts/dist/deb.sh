#!/bin/sh
# Makes the .deb. The program is static, so it depends on nothing.
set -eu
deb_arch=$(dpkg --print-architecture)
root="$out/deb"
scripts/dist/tree.sh "$root" /usr/share/zsh/vendor-completions /usr/share/doc/assay
{
    echo "The assay authors, MIT OR Apache-2.0: LICENSE-MIT, LICENSE-APACHE. NOTICES has the terms of what is linked."
} >"$root/usr/share/doc/assay/copyright"
mkdir "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<END
Package: assay
Version: $version
Architecture: $deb_arch
Maintainer: The assay authors
Section: admin
Priority: optional
Installed-Size: $(du --summarize --apparent-size --block-size=1K "$root/usr" | cut -f 1)
Recommends: e2fsprogs, xfsprogs, btrfs-progs, util-linux, mount
Suggests: f2fs-tools, qemu-system-x86, user-mode-linux, fio
Description: Measures which file system, with which options, suits a workload
 Provisions each candidate file system on loop images or on a disk, runs the
 same work on all of them, proves that the numbers mean what they say, and gives
 ratio tables, a verdict with its uncertainty, and advice.
END
(cd "$root" && find usr -type f -exec md5sum {} + | LC_ALL=C sort -k 2) >"$root/DEBIAN/md5sums"
dpkg-deb --root-owner-group --build "$root" "$out/assay_${version}_$deb_arch.deb" >/dev/null
rm -r "$root"
echo "$out/assay_${version}_$deb_arch.deb"
