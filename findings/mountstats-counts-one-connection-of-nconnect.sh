#!/usr/bin/env bash
# nfs-common 1:2.6.2-4+deb12u1 (Debian 12): a mount of NFS with `nconnect=N` has N connections, and /proc/self/mountstats a line
# `xprt:` for each. mountstats, and nfsiostat of the same package, which reads these lines alike, overwrite one with the next
# and keep the last: the requests sent, and the operations in a second at the head of `mountstats iostat`, are a share of 1/N,
# and below them READ alone has N times as many as there are in all. What `mountstats -R` prints, raw, to be given to `-S`
# later, lacks the other connections, and tells the security flavor wrongly. 10000 reads in 100 s over four connections:
#
# Seen:
#   mountstats: 2500 RPC requests sent; READ: 10000 ops (400%)
#   mountstats iostat: ops/s 25.000; read: 100.000
#   mountstats -R: 1 of 4 connections; flavor=1,pseudoflavor=1 became flavor=1,pseudoflavor=0
#
# Needs python3, no root and no NFS. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq nfs-common=1:2.6.2-4+deb12u1 >/dev/null 2>&1
dpkg -x nfs-common_*.deb package

# In the form of the kernel, with three of the operations. `xprt:` goes on with port, binds, connects, time of those, idle time,
# requests sent, replies, replies of no request, and five sums.
cat >stats <<'END'
device server:/export mounted on /mnt with fstype nfs4 statvers=1.1
	opts:	rw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,nconnect=4,timeo=600,retrans=2,sec=sys
	age:	100
	impl_id:	name='',domain='',date='0,0'
	caps:	caps=0x3ffbffff,wtmult=512,dtsize=1048576,bsize=0,namlen=255
	nfsv4:	bm0=0xfdffbfff,bm1=0xf9be3e,bm2=0x68800,acl=0x3,pnfs=not configured,lease_time=90,lease_expired=0
	sec:	flavor=1,pseudoflavor=1
	events:	0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 
	bytes:	0 0 0 0 4096000000 0 1000000 0 
	RPC iostats version: 1.1  p/v: 100003/4 (nfs)
	xprt:	tcp 785 1 1 0 3 2500 2500 0 2500 1000 16 2500 1200
	xprt:	tcp 872 1 1 0 3 2500 2500 0 2500 1000 16 2500 1200
	xprt:	tcp 901 1 1 0 3 2500 2500 0 2500 1000 16 2500 1200
	xprt:	tcp 947 1 1 0 3 2500 2500 0 2500 1000 16 2500 1200
	per-op statistics
	        NULL: 0 0 0 0 0 0 0 0 0
	        READ: 10000 10000 0 1760000 4097040000 120 5000 6000 0
	       WRITE: 0 0 0 0 0 0 0 0 0
END
tell() { python3 package/usr/sbin/mountstats "$@" -f stats; }
flavor() { sed -n 's/.*sec:[[:space:]]*//p'; }
tell mountstats >said
tell iostat >rates
tell mountstats -R >raw
seen="mountstats: $(grep -o '[0-9]* RPC requests sent' said); READ: $(awk '/^READ:/ { getline; print $1, $2, $3 }' said)
mountstats iostat: ops/s $(awk '/ops\/s *rpc/ { getline; print $1 }' rates); read: $(awk '/^read:/ { getline; print $1 }' rates)
mountstats -R: $(grep -c xprt: raw) of $(grep -c xprt: stats) connections; $(flavor <stats) became $(flavor <raw)"
echo "$seen"
[ "$seen" = 'mountstats: 2500 RPC requests sent; READ: 10000 ops (400%)
mountstats iostat: ops/s 25.000; read: 100.000
mountstats -R: 1 of 4 connections; flavor=1,pseudoflavor=1 became flavor=1,pseudoflavor=0' ] || {
    echo "this has changed"
    exit 1
}
