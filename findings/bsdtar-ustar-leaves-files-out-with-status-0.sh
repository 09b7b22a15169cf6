#!/usr/bin/env bash
# libarchive-tools 3.6.2-1+deb12u5 (Debian 12): the format ustar has no room for some files: a name of more than 100
# bytes without a slash, the target of a link of more than 100, an owner above 2097151, a time before 1970 or after
# 2242. `bsdtar --format ustar` leaves such a file out of the archive. It prints the reason but not the file, all
# reasons on one line, which begins with a colon and is not ended; and it ends with 0. Whoever looks at the status has a
# backup, and whoever reads the log cannot know of what. bsdcpio of the same package names the files, but ends with 0
# too; GNU tar 1.34 names them and ends with 2. In the format that bsdtar has by default, all are taken. A folder with
# one file of each kind, and one plain file:
#
# Seen:
#   bsdtar --format ustar: status 0, lines ended 0, named 0 of 5, in the archive: plain
#   bsdcpio -H ustar: status 0, named 5 of 5, in the archive: plain
#   bsdtar: status 0, in the archive: future id link long old plain
#
# Needs root, to give a file its owner. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq libarchive-tools=3.6.2-1+deb12u5 libarchive13=3.6.2-1+deb12u5 libxml2=2.9.14+dfsg-1.3~deb12u6 \
    libicu72=72.1-3+deb12u1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
export LD_LIBRARY_PATH=$dir/package/usr/lib/$(uname -m)-linux-gnu

mkdir files
cd files
touch plain id "long$(printf '%0100d')"
ln -s "$(printf '%0101d')" link
chown 2097152:2097152 id
touch -d 1969-12-31T00:00:00Z old
touch -d 2243-01-01T00:00:00Z future
all=(*)

# What an archive holds, by the beginnings of the names.
held() {
    echo "in the archive: $(../package/usr/bin/bsdtar -tf "$1" | sed 's/0*$//' | sort | xargs)"
}
named() {
    local name count=0
    for name in future id link "${all[3]}" old; do
        ! grep -qE "(^|[ /])$name(:|\$)" "$1" || count=$((count + 1))
    done
    echo "named $count of 5"
}

status=0
../package/usr/bin/bsdtar -cf ../ustar --format ustar -- * 2>../errors || status=$?
lines=$(wc -l <../errors)
echo "bsdtar --format ustar: status $status, lines ended $lines, $(named ../errors), $(held ../ustar)" >../seen
grep -q '^: ' ../errors
status=0
printf '%s\n' "${all[@]}" | ../package/usr/bin/bsdcpio -o --quiet -H ustar >../cpio 2>../errors || status=$?
echo "bsdcpio -H ustar: status $status, $(named ../errors), $(held ../cpio)" >>../seen
status=0
../package/usr/bin/bsdtar -cf ../default -- * || status=$?
echo "bsdtar: status $status, $(held ../default)" >>../seen
cat ../seen
[ "$(cat ../seen)" = 'bsdtar --format ustar: status 0, lines ended 0, named 0 of 5, in the archive: plain
bsdcpio -H ustar: status 0, named 5 of 5, in the archive: plain
bsdtar: status 0, in the archive: future id link long old plain' ] || { echo "this has changed"; exit 1; }
