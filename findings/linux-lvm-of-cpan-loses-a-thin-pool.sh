#!/usr/bin/env bash
# liblinux-lvm-perl 0.17-4 (Debian 12), Linux::LVM of CPAN, gives Perl what `vgdisplay -v` of LVM shows. There a volume
# begins with `LV Path`, and a thin pool, which has no path, with `LV Name`. Expected: each volume is returned, with its
# name and its size. Linux::LVM takes a name for the begin of a volume only if there was no volume before. The second
# pool of a machine, or the first one behind any other volume, is not returned: its fields go into the volume before
# it, which keeps its key, and has the name, the size and the UUID of the pool. Of a volume group with two pools, by
# lvm2 2.03.16-2:
#
# Seen:
#   lvs: fast 20.00m, root 8.00m, slow 60.00m
#   Linux::LVM: /dev/disks/root is root, 8.00 MiB
#   Linux::LVM: slow is fast, 20.00 MiB
#
# Needs root, lvm2, a loop device, and perl; no device-mapper, as nothing is activated. Leaves nothing.
set -euo pipefail

if [ "${1-}" != inside ]; then
    exec unshare --mount bash "$0" inside
fi
dir=$(mktemp -d)
device=""
undo() {
    [ -z "$device" ] || losetup --detach "$device"
    cd /
    rm -rf "$dir"
}
trap undo EXIT
cd "$dir"
apt-get download -qq liblinux-lvm-perl=0.17-4 >/dev/null 2>&1
dpkg -x liblinux-lvm-perl*.deb package

# Locks, configuration and metadata of its own.
mount -t tmpfs none /run
mkdir lvm
export LVM_SYSTEM_DIR=$dir/lvm LVM_SUPPRESS_FD_WARNINGS=1
truncate -s 200M image
device=$(losetup --find --show image)
cat >lvm/lvm.conf <<END
devices {
    filter = ["a|^$device\$|", "r|.*|"]
    use_devicesfile = 0
}
global { activation = 0 }
END
{
    vgcreate -y disks "$device"
    lvcreate --activate n --zero n --wipesignatures n -l 2 -n root disks
    vgcfgbackup -f before disks
} >log 2>&1

# NAME LETTER EXTENTS STATUS SEGMENT: a volume in the metadata, with a UUID of one letter.
volume() {
    cat <<END
        $1 {
            id = "$(printf '%*s-%*s-%*s-%*s-%*s-%*s-%*s' 6 "" 4 "" 4 "" 4 "" 4 "" 4 "" 6 "" | tr ' ' "$2")"
            status = ["READ", "WRITE"$4]
            segment_count = 1
            segment1 {
                start_extent = 0
                extent_count = $3
                $5
            }
        }
END
}
# NAME LETTERS EXTENTS START: a pool, which lvcreate makes only with a device-mapper, and its two parts.
pool() {
    volume "$1" "${2:0:1}" "$3" ', "VISIBLE"' "type = \"thin-pool\" metadata = \"$1_tmeta\" pool = \"$1_tdata\"
                transaction_id = 0 chunk_size = 128 discards = \"passdown\" zero_new_blocks = 1"
    volume "$1_tmeta" "${2:1:1}" 1 "" "type = \"striped\" stripe_count = 1 stripes = [\"pv0\", $4]"
    volume "$1_tdata" "${2:2:1}" "$3" "" "type = \"striped\" stripe_count = 1 stripes = [\"pv0\", $(($4 + 1))]"
}
{
    pool fast abc 5 5
    pool slow def 15 11
} >pools
sed '/logical_volumes {/r pools' before >after
vgcfgrestore --force -f after disks >>log 2>&1 || { cat log; exit 1; }

volumes=$(lvs --noheadings -o lv_name,lv_size 2>/dev/null | awk '{ print $1, $2 }' | sort | paste -sd, | sed 's/,/, /g')
told=$(perl -Ipackage/usr/share/perl5 -MLinux::LVM -e '
    my %volumes = get_logical_volume_information("disks");
    print map { "Linux::LVM: $_ is $volumes{$_}{name}, $volumes{$_}{lv_size} $volumes{$_}{lv_size_unit}\n" }
        sort keys %volumes' 2>/dev/null)
seen="lvs: $volumes
$told"
echo "$seen"
[ "$seen" = 'lvs: fast 20.00m, root 8.00m, slow 60.00m
Linux::LVM: /dev/disks/root is root, 8.00 MiB
Linux::LVM: slow is fast, 20.00 MiB' ] || { cat log; echo "this has changed"; exit 1; }
