#!/usr/bin/env bash
# folder-hash 4.1.4 (npm) makes a checksum of a folder, of all the names and contents in it, by which caches and builds
# tell whether it has changed. Expected: the same folder has the same checksum for each user, and another folder has
# another. The children of a folder are sorted as a dictionary in the language of the user would have them, by LANG or
# LC_ALL, and their order goes into the checksum: in Czech `ch` comes behind `h`, and `checks` behind `data`. A copy of
# a folder on a machine that is set up in another language seems to have changed. And the name of a file is followed by
# its content with nothing between them: a file `v1` of `0.2` has the checksum of a file `v` of `10.2`, and so have the
# folders with them.
#
# Seen, of a folder with the files `checks` and `data`:
#   en_US: checks, data; cs_CZ: data, checks
#   the checksum of the folder: another
#   two folders, with `v1` of `0.2` and `v` of `10.2`: the same checksum
#
# Needs node with npm and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-fund --no-audit --prefix "$dir" folder-hash@4.1.4 >/dev/null 2>&1

mkdir -p folder one/files two/files
echo 1 >folder/checks
echo 2 >folder/data
printf 0.2 >one/files/v1
printf 10.2 >two/files/v

cat >hash.js <<'END'
const { hashElement } = require("folder-hash");

hashElement(process.argv[2], { encoding: "hex" }).then(made => {
    console.log(made.children.map(child => child.name).join(", "));
    console.log(made.hash);
});
END
order() { LC_ALL=$1.UTF-8 node hash.js folder | head -1; }
hash_of() { LC_ALL=$2.UTF-8 node hash.js "$1" | tail -1; }
compared() { [ "$1" = "$2" ] && echo same || echo another; }
seen="en_US: $(order en_US); cs_CZ: $(order cs_CZ)
the checksum of the folder: $(compared "$(hash_of folder en_US)" "$(hash_of folder cs_CZ)")
two folders, with \`v1\` of \`0.2\` and \`v\` of \`10.2\`: \
the $(compared "$(hash_of one/files en_US)" "$(hash_of two/files en_US)") checksum"
echo "$seen"
[ "$seen" = 'en_US: checks, data; cs_CZ: data, checks
the checksum of the folder: another
two folders, with `v1` of `0.2` and `v` of `10.2`: the same checksum' ] || { echo "this has changed"; exit 1; }
