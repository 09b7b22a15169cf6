#!/usr/bin/env bash
# procfs 0.23.0 (Go module github.com/prometheus/procfs) reads /proc for exporters of metrics, e.g. the calls that the
# NFS client of Linux has made, for which /proc/net/rpc/nfs has one number each, without names. Expected: each number
# has the name of its call. The order is that of a list in the kernel, where LAYOUTGET comes before GETDEVICEINFO, the
# two with which a client of pNFS learns where the data of a file are. procfs has them the other way round: it shows a
# file system that asks for a layout with each open file as one that asks for its devices over and over. nfsstat of
# nfs-common 1:2.6.2-4+deb12u1 (Debian 12) reads the same file with the order of the kernel. Of 5000 LAYOUTGET, 3 of
# GETDEVICEINFO and 800 LAYOUTCOMMIT:
#
# Seen:
#   nfsstat: layoutget 5000, getdevinfo 3, layoutcommit 800
#   procfs: LayoutGet 3, GetDeviceInfo 5000, LayoutCommit 800
#
# Needs go, and unshare with user namespaces, or root. Leaves nothing but what go keeps in its caches.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq nfs-common=1:2.6.2-4+deb12u1 >/dev/null 2>&1
dpkg -x nfs-common*.deb package

# 59 calls, of which LAYOUTGET is the 45th.
mkdir -p proc/net/rpc
counts=$(seq 59 | sed '45s/.*/5000/; 46s/.*/3/; 47s/.*/800/' | paste -sd' ')
printf 'net 0 0 0 0\nrpc 7634 0 0\nproc4 59 %s\n' "$counts" >proc/net/rpc/nfs

# nfsstat reads /proc/net, which is a link into the folder of the process.
cat >nfsstat.sh <<'END'
mount --bind proc/net /proc/$$/net
exec package/usr/sbin/nfsstat --client -4 --list
END
[ "$(id -u)" = 0 ] && rights=-m || rights=-rm
unshare "$rights" --propagation private bash nfsstat.sh >nfsstat

cat >go.mod <<'END'
module calls
go 1.25
END
cat >calls.go <<'END'
package main

import (
	"fmt"

	"github.com/prometheus/procfs/nfs"
)

func main() {
	fs, err := nfs.NewFS("proc")
	if err != nil {
		panic(err)
	}
	calls, err := fs.ClientRPCStats()
	if err != nil {
		panic(err)
	}
	v4 := calls.ClientV4Stats
	fmt.Printf("procfs: LayoutGet %d, GetDeviceInfo %d, LayoutCommit %d\n", v4.LayoutGet, v4.GetDeviceInfo,
		v4.LayoutCommit)
}
END
go get github.com/prometheus/procfs@v0.23.0 >log 2>&1 || { cat log; exit 1; }

told=$(sed -nE 's/.* (layoutget|getdevinfo|layoutcommit): *([0-9]+).*/\1 \2/p' nfsstat | paste -sd, | sed 's/,/, /g')
seen="nfsstat: $told
$(go run .)"
echo "$seen"
[ "$seen" = 'nfsstat: layoutget 5000, getdevinfo 3, layoutcommit 800
procfs: LayoutGet 3, GetDeviceInfo 5000, LayoutCommit 800' ] || { echo "this has changed"; exit 1; }
