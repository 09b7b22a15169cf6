#!/usr/bin/env bash
# zfs-fuse 0.7.0-25+b1 (Debian 12): `zpool list NAME` asks the server for the pool. Where the server ends before it answers, the
# client prints NAME and ends with 0, although there is no such pool. A script that takes that status for "the pool is there"
# goes on with a pool that never was. A server that answers gives status 1.
#
# Seen:
#   the server answers: status 1, nothing on stdout
#   the server ends: status 0, `none-such` on stdout
#
# Needs root. Runs in a mount namespace of its own, so that another zfs-fuse is not asked, and leaves nothing.
set -euo pipefail

if [ "${1-}" != inside ]; then
    exec unshare --mount --pid --fork --mount-proc bash "$0" inside
fi
dir=$(mktemp -d)
trap 'cd /; rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq zfs-fuse=0.7.0-25+b1 libfuse2 libtirpc3 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
export LD_LIBRARY_PATH=$dir/package/lib/$(uname -m)-linux-gnu:$dir/package/usr/lib/$(uname -m)-linux-gnu
# Its socket and its lock.
mount -t tmpfs none /run
mkdir -p /run/zfs /run/lock
client() { timeout 20 package/sbin/zpool "$@"; }

serve() {
    package/sbin/zfs-fuse --no-daemon --pidfile "$dir/pid" >log 2>&1 &
    server=$!
    until client list >/dev/null 2>&1; do sleep 0.1; done
}
ask() {
    local status=0
    client list -H -o name none-such >out 2>/dev/null || status=$?
    echo "$1: status $status, \`$(cat out)\` on stdout"
}

serve
seen=$(ask "the server answers")
kill -STOP "$server"
ask "the server ends" >second &
asked=$!
sleep 1
kill -KILL "$server"
wait "$asked"
seen+=$'\n'$(cat second)
echo "$seen"
[ "$seen" = "the server answers: status 1, \`\` on stdout
the server ends: status 0, \`none-such\` on stdout" ]
