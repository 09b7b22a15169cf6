#!/usr/bin/env bash
# fat32-lib 0.6.5 (Maven, de.waldheinz) reads and writes a FAT in a file or on a disk, without mounting it. A file with
# a long name has a short one as well, with a number: RESULT~1.TXT. Expected: a new file gets a short name that is free.
# fat32-lib takes account of the short names that it has given itself, but not of those that it finds on the disk. The
# first new file whose name begins like that of an old one, in six characters and the extension, gets the short name of
# the old one; as its directory is kept by short names, the new file takes the place of the old one, which is gone from
# the disk. Nothing is said. The clusters of the old file stay allocated to none. Two files by mcopy of mtools, and one
# that is added by fat32-lib:
#
# Seen, in the directory, and in clusters that belong to no file:
#   before: results of monday.txt, other.txt; 0
#   results of tuesday.txt added: results of tuesday.txt, other.txt; 1
#   to another copy, summary.txt added: results of monday.txt, other.txt, summary.txt; 0
#
# Needs java with javac and mvn, and no root. Leaves nothing but what mvn keeps in its caches.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq mtools=4.0.33-1+really4.0.32-1 dosfstools=4.2-1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" package; done
mvn -q dependency:copy -Dartifact=de.waldheinz:fat32-lib:0.6.5 -DoutputDirectory="$dir" >log 2>&1 ||
    { cat log; exit 1; }

cat >Add.java <<'END'
import de.waldheinz.fs.fat.FatFileSystem;
import de.waldheinz.fs.util.FileDisk;
import java.io.File;
import java.nio.ByteBuffer;

/** Adds a file to an image: IMAGE NAME. */
public class Add {
    public static void main(String[] arguments) throws Exception {
        FileDisk disk = new FileDisk(new File(arguments[0]), false);
        FatFileSystem image = FatFileSystem.read(disk, false);
        image.getRoot().addFile(arguments[1]).getFile().write(0, ByteBuffer.wrap("new".getBytes()));
        image.close();
        disk.close();
    }
}
END
javac -cp fat32-lib-0.6.5.jar Add.java

truncate -s 16M image
package/sbin/mkfs.fat -F 16 image >/dev/null
echo old >old
for name in "results of monday.txt" other.txt; do package/usr/bin/mcopy -i image old "::$name"; done
cp image copy
listed() {
    lost=$(package/sbin/fsck.fat -n "$1" | sed -n 's/^Reclaimed \([0-9]*\) unused cluster.*/\1/p') || true
    echo "$(package/usr/bin/mdir -b -i "$1" | sed 's/^::\///' | paste -sd, | sed 's/,/, /g'); ${lost:-0}"
}
seen="before: $(listed image)"
java -cp fat32-lib-0.6.5.jar:. Add image "results of tuesday.txt"
java -cp fat32-lib-0.6.5.jar:. Add copy summary.txt
seen+="
results of tuesday.txt added: $(listed image)
to another copy, summary.txt added: $(listed copy)"
echo "$seen"
[ "$seen" = 'before: results of monday.txt, other.txt; 0
results of tuesday.txt added: results of tuesday.txt, other.txt; 1
to another copy, summary.txt added: results of monday.txt, other.txt, summary.txt; 0' ] || {
    echo "this has changed"
    exit 1
}
