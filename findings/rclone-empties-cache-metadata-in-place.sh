#!/usr/bin/env bash
# rclone 1.60.1+dfsg-2+b5 (Debian 12), VFS cache mode `writes`: the metadata file of a cached file, which says in `Dirty` whether
# it is still to be uploaded, is not replaced by a rename: it is opened with O_TRUNC and written anew, several times for an upload.
# A program that looks for `"Dirty": true` to learn whether all is uploaded can find the file empty, and take that for yes.
#
# Seen:
#   metadata of one upload: emptied in place more than once, replaced by a rename never
#   what it says after the upload: "Dirty": false
#
# Needs curl and the right to trace, no root and no FUSE: the cache is that of `rclone serve webdav`.
set -euo pipefail

dir=$(mktemp -d)
# strace ends with what it runs.
trap 'cd /; [ -z "${server-}" ] || kill $(cat "/proc/$server/task/$server/children") || true; wait; rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq rclone=1.60.1+dfsg-2+b5 strace=6.1-0.1 libunwind8=1.6.2-3 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
export LD_LIBRARY_PATH=$dir/package/usr/lib/$(uname -m)-linux-gnu
mkdir store cache

package/usr/bin/strace -f -qq -e trace=openat,rename,renameat,renameat2 -o trace \
    package/usr/bin/rclone serve webdav --config '' --addr localhost:0 --cache-dir "$dir/cache" --vfs-cache-mode writes \
    --vfs-write-back 1ms "$dir/store" >log 2>&1 &
server=$!
url=""
until [ -n "$url" ]; do
    sleep 0.1
    url=$(sed -n 's/.* started on //p' log)
done
echo "some text" >file
curl -sS --noproxy '*' -T file "${url}file" >/dev/null
until [ -s store/file ] && grep -rqs '"Dirty": *false' cache/vfsMeta; do sleep 0.1; done

times() {
    case $1 in 0) echo never ;; 1) echo once ;; *) echo "more than once" ;; esac
}
emptied=$(grep -c 'vfsMeta/.*/file", .*O_TRUNC' trace || true)
renamed=$(grep -c 'rename.*vfsMeta/.*/file"' trace || true)
seen="metadata of one upload: emptied in place $(times "$emptied"), replaced by a rename $(times "$renamed")
what it says after the upload: $(grep -rhos '"Dirty": *[a-z]*' cache/vfsMeta)"
echo "$seen"
[ "$seen" = 'metadata of one upload: emptied in place more than once, replaced by a rename never
what it says after the upload: "Dirty": false' ]
