#!/usr/bin/env bash
# go-acl (Go module github.com/joshlf/go-acl, v0.0.0-20200411065538-eae00ae38531) reads and sets the access control
# lists of files. `ToUnix` makes the mode of a list, and `FromUnix` a list of a mode. Expected: the mode that stat(2)
# and `ls` show, as the kernel makes it of the same list: the three bits of the group are the mask, where there is one,
# which limits what named users and groups may do. ToUnix takes the entry of the group instead. A chmod with its mode,
# as a program does that keeps the mode of what it copies or rewrites, sets the mask to these bits, and the user who
# was given the right to write has lost it. By getfacl of acl 2.3.1-3 (Debian 12):
#
# Seen, of a file of mode 640 where the user 1234 may read and write:
#   ToUnix 640, stat 660
#   the user 1234, after chmod to what stat says: rw-
#   the user 1234, after chmod to what ToUnix says: r--
#
# Needs go, a C compiler, and no root. Leaves nothing but what go keeps in its caches.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq acl=2.3.1-3 libacl1-dev=2.3.1-3 libacl1=2.3.1-3 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
libraries=$dir/package/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$libraries CGO_CFLAGS=-I$dir/package/usr/include CGO_LDFLAGS=-L$libraries CGO_ENABLED=1

touch file
chmod 640 file
package/bin/setfacl -m u:1234:rw file

cat >go.mod <<'END'
module mode
go 1.24
END
cat >mode.go <<'END'
package main

import (
	"fmt"

	acl "github.com/joshlf/go-acl"
)

func main() {
	list, err := acl.Get("file")
	if err != nil {
		panic(err)
	}
	fmt.Printf("%o\n", acl.ToUnix(list))
}
END
go get github.com/joshlf/go-acl@v0.0.0-20200411065538-eae00ae38531 >log 2>&1 || { cat log; exit 1; }
mode=$(go run .)

# What the mask leaves of an entry follows it as a comment.
rights() { package/bin/getfacl -e file | sed -n 's/^user:1234:.*effective://p'; }
stat=$(stat -c %a file)
chmod "$stat" file
kept=$(rights)
chmod "$mode" file
seen="ToUnix $mode, stat $stat
the user 1234, after chmod to what stat says: $kept
the user 1234, after chmod to what ToUnix says: $(rights)"
echo "$seen"
[ "$seen" = 'ToUnix 640, stat 660
the user 1234, after chmod to what stat says: rw-
the user 1234, after chmod to what ToUnix says: r--' ] || { echo "this has changed"; exit 1; }
