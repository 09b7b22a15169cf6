#!/usr/bin/env bash
# ghw 0.27.0 (Go module github.com/jaypipes/ghw) tells what hardware a machine has. Of a disk, `NUMANodeID` is
# documented as the NUMA node that the disk is local to, or -1 if the machine has no such nodes. A benchmark or a
# scheduler runs the work for a fast disk on the processors of its node. Expected: the node that /sys has for the
# controller of the disk. ghw looks for it next to the disk, where Linux has none, and makes 0 of the error: each disk
# of each machine is on node 0, where -1 or an error would tell that it is not known. With the files of /sys of a
# machine with two nodes, and of a virtual one without:
#
# Seen, as /sys, then as ghw says:
#   nvme0n1: node 0, node 0
#   nvme1n1: node 1, node 0
#   sda: node 1, node 0
#   vda, of a machine without nodes: node -1, node 0
#
# Needs go and no root. Leaves nothing but what go keeps in its caches.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# NAME CONTROLLER FOLDER NODE: a disk, its folder below that of its controller, and the node of the controller.
disk() {
    local at=root/sys/devices/$2/$3/$1
    mkdir -p "$at/queue"
    echo 1953525168 >"$at/size"
    echo 0 >"$at/queue/rotational"
    echo "$4" >"root/sys/devices/$2/numa_node"
    ln -s "../devices/$2/$3/$1" "root/sys/block/$1"
}
mkdir -p root/sys/block root/proc root/run/udev/data
touch root/proc/mounts
disk nvme0n1 pci0000:00/0000:00:01.0 nvme/nvme0 0
disk nvme1n1 pci0000:80/0000:80:01.0 nvme/nvme1 1
disk sda pci0000:80/0000:80:02.0 ata1/host0/target0:0:0/0:0:0:0/block 1
disk vda pci0000:00/0000:00:05.0 virtio2/block -1

cat >go.mod <<'END'
module disks
go 1.24
END
cat >disks.go <<'END'
package main

import (
	"fmt"

	"github.com/jaypipes/ghw"
)

func main() {
	block, err := ghw.Block(ghw.WithChroot("root"))
	if err != nil {
		panic(err)
	}
	for _, disk := range block.Disks {
		fmt.Println(disk.Name, disk.NUMANodeID)
	}
}
END
go get github.com/jaypipes/ghw@v0.27.0 >log 2>&1 || { cat log; exit 1; }

seen=$(go run . | while read -r name told; do
    above=$(realpath "root/sys/block/$name")
    until [ -e "$above/numa_node" ]; do above=${above%/*}; done
    note=""
    [ "$name" != vda ] || note=", of a machine without nodes"
    echo "$name$note: node $(cat "$above/numa_node"), node $told"
done)
echo "$seen"
[ "$seen" = 'nvme0n1: node 0, node 0
nvme1n1: node 1, node 0
sda: node 1, node 0
vda, of a machine without nodes: node -1, node 0' ] || { echo "this has changed"; exit 1; }
