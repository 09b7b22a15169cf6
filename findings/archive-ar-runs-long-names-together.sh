#!/usr/bin/env bash
# libarchive-ar-perl 2.02-4 (Debian 12), Archive::Ar of CPAN, reads, changes and writes ar archives, as static libraries
# and Debian packages are. GNU ar keeps names of more than 15 bytes in a table, each ended by a slash and a new line.
# Expected: the names that are in the archive. Of what follows in the table, Archive::Ar cuts off the next line only,
# and one byte more. The first of three files is named like itself, a slash, a new line and the third; the second has a
# slash at its end; and the last is right. `extract` makes files of these names, and asked for by its own name a file is
# not there. `extract` also ends at the first empty file, as it takes 0 bytes written for a failure, and leaves all
# behind it in the archive. An archive that it makes has the type COMMON if nothing else is asked for: names are cut to
# 16 bytes, and of those that begin alike only the first is found again. Three files by GNU ar and three by Archive::Ar,
# with `|` for a new line:
#
# Seen:
#   by GNU ar: results-of-run-001/|results-of-run-003/, results-of-run-002/, results-of-run-003
#   results-of-run-001 is in it: no
#   first, an empty file and last, extracted: empty, first
#   by Archive::Ar: results-of-run-0 with 1
#
# Needs ar of binutils, perl, and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq libarchive-ar-perl=2.02-4 >/dev/null 2>&1
dpkg -x libarchive-ar-perl*.deb package

mkdir made out
for run in 1 2 3; do echo -n "$run" >made/results-of-run-00"$run"; done
ar rcD by_ar made/results-of-run-00{1,2,3}
echo text | tee made/first made/last >/dev/null
touch made/empty
ar rcD short made/first made/empty made/last

cat >read.pl <<'END'
use strict;
use warnings;

use Archive::Ar;

my $read = Archive::Ar->new('by_ar') or die;
my @names = $read->list_files;
print 'by GNU ar: ', join(', ', map { tr/\n/|/r } @names), "\n";
print 'results-of-run-001 is in it: ', $read->contains_file('results-of-run-001') ? 'yes' : 'no', "\n";

my $short = Archive::Ar->new('short', { chown => 0 }) or die;
chdir 'out';
$short->extract;
chdir '..';
print 'first, an empty file and last, extracted: ', join(', ', map { s/.*\///r } sort glob 'out/*'), "\n";

my $made = Archive::Ar->new;
$made->add_data("results-of-run-00$_", $_) for 1, 2, 3;
$made->write('by_perl') or die;
my $again = Archive::Ar->new('by_perl') or die;
print 'by Archive::Ar: ', join(', ', map { "$_ with " . $again->get_data($_) } $again->list_files), "\n";
END
perl -I"$dir/package/usr/share/perl5" read.pl >seen
cat seen
[ "$(cat seen)" = 'by GNU ar: results-of-run-001/|results-of-run-003/, results-of-run-002/, results-of-run-003
results-of-run-001 is in it: no
first, an empty file and last, extracted: empty, first
by Archive::Ar: results-of-run-0 with 1' ] || { echo "this has changed"; exit 1; }
