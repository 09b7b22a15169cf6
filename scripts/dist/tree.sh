#!/bin/sh
# Lays the files of dist.sh out below $1 as a package installs them. $2: folder of the completions of zsh, which differs
# between distributions; $3: folder of the licences.
set -eu
usr="$1/usr"
mkdir -p "$usr/bin" "$usr/share/doc/assay" "$usr/share/man/man1" "$usr/share/bash-completion/completions" \
    "$usr/share/fish/vendor_completions.d" "$1$2" "$1$3"
cp "$files/assay" "$usr/bin/"
cp "$files/README.md" "$usr/share/doc/assay/"
cp "$files/LICENSE-APACHE" "$files/LICENSE-MIT" "$files/NOTICES" "$1$3/"
cp "$files/man"/*.1.gz "$usr/share/man/man1/"
cp "$files/completions/assay" "$usr/share/bash-completion/completions/"
cp "$files/completions/assay.fish" "$usr/share/fish/vendor_completions.d/"
cp "$files/completions/_assay" "$1$2/"
