#!/usr/bin/env bash
# dump 0.4b47-4 (Debian 12) makes a backup of an ext4 file system, restore reads it. An entry of a directory on the tape
# has the length of the name in one byte. A name of 255 bytes, the longest that Linux takes, comes back as one byte: the
# lowest of the number of the inode that is next in the directory, a character that most often cannot be typed. The name
# itself is on the tape, but restore does not find it: `restore -t` lists the new one, `restore -x` does not know the
# old one. The last entry of a directory has no next one; its name is empty, and its file is not restored. dump and
# restore end with 0, and only the empty name makes restore say anything. Names of 254 bytes are kept. Three of them
# before a file with a name of 254 bytes, each with its own letter as content, and one alone in a folder:
#
# Seen:
#   before: 3 names of 255 bytes and 1 of 254; dump ended with 0, restore with 0
#   after: a, now named like inode of b; b, now named like inode of c; c, now named like inode of d; d, named as before
#   alone in its folder: not restored
#
# Needs root, a loop device, a kernel with ext4, and python3. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
undo() {
    ! mountpoint -q "$dir/mnt" || umount "$dir/mnt"
    rm -rf "$dir"
}
trap undo EXIT

cd "$dir"
apt-get download -qq dump=0.4b47-4 e2fsprogs=1.47.0-2+b2 libext2fs2=1.47.0-2+b2 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
export LD_LIBRARY_PATH=$dir/package/lib/$(uname -m)-linux-gnu:$dir/package/usr/lib/$(uname -m)-linux-gnu
truncate -s 64M image
package/sbin/mke2fs -q -t ext4 -b 4096 image
mkdir mnt new
mount -o loop image mnt

python3 - <<'END'
import os

os.makedirs("mnt/tree/alone")
for letter in "abcd":
    with open("mnt/tree/" + letter * (254 if letter == "d" else 255), "w") as file:
        file.write(letter)
with open("mnt/tree/alone/" + "e" * 255, "w") as file:
    file.write("e")
END
dumped=0 restored=0
package/sbin/dump -0 -q -f tape mnt/tree >said 2>&1 || dumped=$?
(cd new && ../package/sbin/restore -r -f ../tape >../said 2>&1 </dev/null) || restored=$?

DUMPED=$dumped RESTORED=$restored python3 - >seen <<'END'
import os

before = {name[:1]: name for name in os.listdir("mnt/tree") if name != "alone"}
number = {letter: os.lstat(f"mnt/tree/{name}").st_ino for letter, name in before.items()}
count = lambda length: sum(len(name) == length for name in before.values())
print(f"before: {count(255)} names of 255 bytes and {count(254)} of 254; "
      f"dump ended with {os.environ['DUMPED']}, restore with {os.environ['RESTORED']}")
after = {}
for name in os.listdir("new/tree"):
    if name == "alone":
        continue
    letter = open(f"new/tree/{name}").read()
    like = [other for other in number if name == chr(number[other] & 255)]
    new = f"now named like inode of {like[0] if like else 'none'}"
    after[letter] = "named as before" if name == before[letter] else new
print("after: " + "; ".join(f"{letter}, {after[letter]}" for letter in sorted(after)))
print("alone in its folder: " + ("restored" if os.listdir("new/tree/alone") else "not restored"))
END
cat seen
[ "$(cat seen)" = 'before: 3 names of 255 bytes and 1 of 254; dump ended with 0, restore with 0
after: a, now named like inode of b; b, now named like inode of c; c, now named like inode of d; d, named as before
alone in its folder: not restored' ] || { echo "this has changed"; exit 1; }
