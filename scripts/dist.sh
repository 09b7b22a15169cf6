#!/bin/sh
# Makes what is handed out: the static program with its manual pages, completions and the notices of what is linked, as
# tarball, .deb, .rpm, Python wheel and container image. `dist.sh deb wheel` makes only those. Prints the path of each,
# and names one whose tool (dpkg-deb, rpmbuild, python3) is not installed. ASSAY names a program that is built already,
# DIST the folder for the results.
set -eu
cd "$(dirname "$0")/.."

program=${ASSAY:-$(scripts/build.sh)}
out=${DIST:-${CARGO_TARGET_DIR:-target}/dist}
rm -rf "$out"
mkdir -p "$out"
out=$(cd "$out" && pwd)
arch=$(uname -m)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
name="assay-$version-$arch-linux"
files="$out/$name"
# The same commit gives the same bytes.
SOURCE_DATE_EPOCH=$(git show --no-patch --format=%ct HEAD 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH out arch version name files

# The packages take their files from here.
mkdir -p "$files/man" "$files/completions"
cp "$program" "$files/assay"
cp LICENSE-APACHE LICENSE-MIT README.md "$files/"
cargo run --quiet --locked -p xtask -- notices >"$files/NOTICES"
"$program" man --out "$files/man" >/dev/null
"$program" completions bash >"$files/completions/assay"
"$program" completions zsh >"$files/completions/_assay"
"$program" completions fish >"$files/completions/assay.fish"
gzip --best --no-name "$files/man"/*.1
chmod -R u=rwX,go=rX "$files"

# make KIND TOOL SCRIPT
make() {
    if ! command -v "$2" >/dev/null 2>&1; then
        echo "dist: no $1: $2 is not installed" >&2
        return
    fi
    "scripts/dist/$3"
}

for kind in ${*:-tarball deb rpm wheel image}; do
    case $kind in
    tarball) scripts/dist/tarball.sh ;;
    deb) make deb dpkg-deb deb.sh ;;
    rpm) make rpm rpmbuild rpm.sh ;;
    wheel) make wheel python3 wheel.py ;;
    image) make image python3 image.py ;;
    *) echo "dist: unknown kind $kind; expected tarball, deb, rpm, wheel or image" >&2 && exit 2 ;;
    esac
done
