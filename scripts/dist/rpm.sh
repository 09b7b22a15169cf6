#!/bin/sh
# Makes the .rpm. The program is static, so it depends on nothing.
set -eu
work="$out/rpm"
mkdir -p "$work"
scripts/dist/tree.sh "$work/tree" /usr/share/zsh/site-functions /usr/share/licenses/assay
cat >"$work/assay.spec" <<END
Name: assay
Version: $version
Release: 1
Summary: Measures which file system, with which options, suits a workload on a machine
License: (MIT OR Apache-2.0) AND LGPL-2.1-or-later
AutoReqProv: no
Recommends: e2fsprogs, xfsprogs, btrfs-progs, util-linux
%description
Provisions each candidate file system on loop images or on a disk, runs the same work on all of them, proves that the
numbers mean what they say, and gives ratio tables, a verdict with its uncertainty, and advice.
%install
cp -a "$work/tree/." "%{buildroot}/"
%files
/usr/bin/assay
%license /usr/share/licenses/assay
%doc /usr/share/doc/assay
/usr/share/man/man1/*.1.gz
/usr/share/bash-completion/completions/assay
/usr/share/zsh/site-functions/_assay
/usr/share/fish/vendor_completions.d/assay.fish
END
# Nothing is stripped or compressed again, and no record of the building machine is kept.
rpmbuild -bb --quiet --define "_topdir $work" --define "_rpmdir $out" --define "_rpmfilename %{name}-%{version}-%{release}.%{arch}.rpm" \
    --define "__os_install_post %{nil}" --define "debug_package %{nil}" --define "_build_id_links none" \
    --define "_buildhost localhost" --define "use_source_date_epoch_as_buildtime 1" \
    --define "clamp_mtime_to_source_date_epoch 1" --target "$arch" "$work/assay.spec" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}
rm -r "$work"
echo "$out/assay-$version-1.$arch.rpm"
