#!/usr/bin/env bash
# thin-provisioning-tools 0.9.0-2 (Debian 12): `thin_check` ends with two lines NAME=VALUE, TRANSACTION_ID and
# METADATA_FREE_BLOCKS. The second is always the number of blocks less one, however full the metadata are, as if they had a
# superblock and nothing else. A pool whose metadata fill up goes read-only, which is what one would watch this number for. The
# superblock, which the kernel goes by, has the right number, as the same tools wrote it.
#
# Seen, of metadata of 1024 blocks:
#   10 mappings: METADATA_FREE_BLOCKS=1023; 23 used, 1001 free by the superblock
#   20000 mappings: METADATA_FREE_BLOCKS=1023; 181 used, 843 free by the superblock
#   100000 mappings: METADATA_FREE_BLOCKS=1023; 822 used, 202 free by the superblock
#
# Needs python3, no root and no device mapper. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq thin-provisioning-tools=0.9.0-2 libaio1 libexpat1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
machine=$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$dir/package/usr/lib/$machine:$dir/package/lib/$machine PATH=$dir/package/usr/sbin:$PATH

# A thin volume whose every second block is mapped, so that no two mappings make one.
volume() {
    echo '<superblock uuid="" time="0" transaction="1" flags="0" version="2" data_block_size="128" nr_data_blocks="200000">'
    echo "<device dev_id=\"1\" mapped_blocks=\"$1\" transaction=\"0\" creation_time=\"0\" snap_time=\"0\">"
    awk -v count="$1" 'BEGIN { for (i = 0; i < count; i++)
        printf "<single_mapping origin_block=\"%d\" data_block=\"%d\" time=\"0\"/>\n", 2 * i, i }'
    echo '</device></superblock>'
}
# The root of the space map of the metadata, behind that of the data, begins with the blocks that there are and those used.
superblock() {
    python3 -c 'import struct
there, used = struct.unpack_from("<QQ", open("metadata", "rb").read(512), 192)
assert there == 1024
print(f"{used} used, {there - used} free by the superblock")'
}
seen=""
for count in 10 20000 100000; do
    volume "$count" >volume.xml
    rm -f metadata
    truncate -s 4M metadata
    thin_restore -q -i volume.xml -o metadata
    seen+="$count mappings: $(thin_check metadata 2>/dev/null | grep FREE); $(superblock)
"
done
printf '%s' "$seen"
[ "$seen" = '10 mappings: METADATA_FREE_BLOCKS=1023; 23 used, 1001 free by the superblock
20000 mappings: METADATA_FREE_BLOCKS=1023; 181 used, 843 free by the superblock
100000 mappings: METADATA_FREE_BLOCKS=1023; 822 used, 202 free by the superblock
' ] || { echo "this has changed"; exit 1; }
