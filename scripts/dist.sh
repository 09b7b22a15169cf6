#!/bin/sh
# Makes what is handed out: a tarball with the static program, its manual pages and completions, and the same as .deb
# and .rpm where cargo-deb and cargo-generate-rpm are installed. Prints the path of each. ASSAY names a program that is
# built already.
set -eu
cd "$(dirname "$0")/.."

program=${ASSAY:-$(scripts/build.sh)}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
out="${CARGO_TARGET_DIR:-target}/dist"
name="assay-$version-$(uname -m)-linux"
rm -rf "$out"
mkdir -p "$out/$name/man" "$out/$name/completions"

# The packages take their files from here.
cp "$program" LICENSE-APACHE LICENSE-MIT README.md "$out/$name/"
"$program" man --out "$out/$name/man" >/dev/null
"$program" completions bash >"$out/$name/completions/assay"
"$program" completions zsh >"$out/$name/completions/_assay"
"$program" completions fish >"$out/$name/completions/assay.fish"
gzip --best --no-name "$out/$name/man"/*.1
ln -s "$name" "$out/files"

# The same commit gives the same bytes.
stamp=$(git show --no-patch --format=%ct HEAD 2>/dev/null || echo 0)
tar --create --gzip --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$stamp" \
    --file "$out/$name.tar.gz" --directory "$out" "$name"
echo "$out/$name.tar.gz"

if cargo deb --version >/dev/null 2>&1; then
    cargo deb --quiet --package assay --no-build --no-strip --output "$out/" >/dev/null 2>&1
fi
if cargo generate-rpm --version >/dev/null 2>&1; then
    cargo generate-rpm --package crates/assay --output "$out/"
fi
find "$out" -maxdepth 1 \( -name '*.deb' -o -name '*.rpm' \) | sort
