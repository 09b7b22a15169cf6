#!/bin/sh
# Packs the files of dist.sh as they are.
set -eu
tar --create --gzip --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    --file "$out/$name.tar.gz" --directory "$out" "$name"
echo "$out/$name.tar.gz"
