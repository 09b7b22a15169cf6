#!/usr/bin/env bash
# bmapflash 1.2.2 (npm) writes an image to a disk by its block map, the list of the blocks that hold data. A map, as
# bmaptool makes it, has blocks of 4096 bytes and the size of the image, which need not be a multiple of that: images of
# partitions and disks have sectors of 512. Expected: nothing behind the image is changed, and what was written is found
# to be right. bmapflash fills the last block with zeros and writes all of it: up to 4095 bytes behind the image are
# gone, e.g. the start of the next partition where the image is of one. Its check of what was written hashes whole
# blocks, while the map has the hash of the image: of such an image it always calls the last range invalid, however well
# it was written. A user who trusts the check writes it again, and one who does not will not see real damage.
#
# Seen, of an image of 10000 bytes over a disk full of `U`:
#   the image is on the disk; 2288 bytes behind it are zeros; the rest is as before
#   invalid ranges: 0-2
# Seen, of one of 12288 bytes:
#   the image is on the disk; 0 bytes behind it are zeros; the rest is as before
#   invalid ranges: none
#
# Needs node with npm, and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-fund --no-audit --prefix "$dir" bmapflash@1.2.2 >/dev/null 2>&1

cat >flash.js <<'END'
const fs = require("fs"), { once } = require("events"), bmapflash = require("bmapflash");

const image = fs.readFileSync("image"), map = fs.readFileSync("map", "utf8"), fd = fs.openSync("disk", "r+");
(async () => {
    await once(bmapflash.flashImageToFileDescriptor(fs.createReadStream("image"), fd, map), "done");
    const [invalid] = await once(bmapflash.validateFlashedImage(fd, map), "done");

    const disk = fs.readFileSync("disk"), behind = disk.subarray(image.length);
    const zeros = behind.findIndex(byte => byte !== 0);
    const there = disk.subarray(0, image.length).equals(image) ? "the image is" : "something else is";
    const rest = behind.subarray(zeros).every(byte => byte === 0x55) ? "as before" : "changed";
    console.log(`${there} on the disk; ${zeros} bytes behind it are zeros; the rest is ${rest}`);
    console.log(`invalid ranges: ${invalid.map(range => `${range.from}-${range.to}`).join(", ") || "none"}`);
})();
END
# What `bmaptool create` of bmap-tools 3.6 writes of an image without holes, without its comments.
map() {
    local blocks=$((($1 + 4095) / 4096))
    cat <<END
<?xml version="1.0" ?>
<bmap version="2.0">
    <ImageSize> $1 </ImageSize>
    <BlockSize> 4096 </BlockSize>
    <BlocksCount> $blocks </BlocksCount>
    <MappedBlocksCount> $blocks </MappedBlocksCount>
    <ChecksumType> sha256 </ChecksumType>
    <BmapFileChecksum> $(printf '0%.0s' {1..64}) </BmapFileChecksum>
    <BlockMap>
        <Range chksum="$(sha256sum <image | cut -d' ' -f1)"> 0-$((blocks - 1)) </Range>
    </BlockMap>
</bmap>
END
}
seen=""
for size in 10000 12288; do
    head -c "$size" /dev/urandom | tr '\0' i >image
    map "$size" >map
    head -c 20480 /dev/zero | tr '\0' U >disk
    seen+="$(node --no-deprecation flash.js)"$'\n'
done
printf '%s' "$seen"
[ "$seen" = 'the image is on the disk; 2288 bytes behind it are zeros; the rest is as before
invalid ranges: 0-2
the image is on the disk; 0 bytes behind it are zeros; the rest is as before
invalid ranges: none
' ] || { echo "this has changed"; exit 1; }
