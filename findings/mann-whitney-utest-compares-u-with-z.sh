#!/usr/bin/env bash
# mann-whitney-utest 1.0.5 (npm) tells by ranks whether two samples differ, e.g. the latencies of two disks, without
# assuming a distribution. `significant()` is to say whether they do. Expected: it says no of one value against one
# other, which proves nothing, and yes of two samples of 30 that are half their range apart. The smaller U is to be
# below a critical value, which grows with the samples: 317 for two of 30 at the level of 0.05. mann-whitney-utest
# computes z, how many standard deviations U is from its mean, calls that the critical value, and compares U with it. z
# stays small: below 7 for two samples of 30. So `significant()` is true of tiny samples, and of larger ones only where
# almost no value of one sample is among the other. U itself is right. The fork @tainakanchu/mann-whitney-utest 1.1.0
# (npm) has the same. The p of each test by scipy 1.15.3 (PyPI):
#
# Seen:
#   1 and 1 values: U 0, significant true, the fork's true, p 1.0000
#   2 and 2 values: U 0, significant true, the fork's true, p 0.3333
#   20 and 20 values: U 45, significant false, the fork's false, p 0.0000
#   30 and 30 values: U 105, significant false, the fork's false, p 0.0000
#
# Needs node with npm, python3, and no root. Takes 150 MiB below the temp folder, and leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-fund --no-audit --prefix "$dir" mann-whitney-utest@1.0.5 \
    @tainakanchu/mann-whitney-utest@1.1.0 >/dev/null 2>&1
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install scipy==1.15.3 numpy==2.2.6

# Each line: the two samples of a test.
python3 - >samples <<'END'
import json

for size, shift in (1, 0.5), (2, 1.5), (20, 10.5), (30, 15.5):
    print(json.dumps([list(range(size)), [value + shift for value in range(size)]]))
END
cat >test.js <<'END'
const fs = require("fs"), first = require("mann-whitney-utest"), fork = require("@tainakanchu/mann-whitney-utest");

for (const line of fs.readFileSync("samples", "utf8").trim().split("\n")) {
    const samples = JSON.parse(line), u = first.test(samples);
    console.log(`${samples[0].length} and ${samples[1].length} values: U ${Math.min(...u)}, ` +
        `significant ${first.significant(u, samples)}, the fork's ${fork.significant(fork.test(samples), samples)}`);
}
END
node test.js >told
venv/bin/python - >p <<'END'
import json

from scipy.stats import mannwhitneyu

for line in open("samples"):
    print(f"p {mannwhitneyu(*json.loads(line)).pvalue:.4f}")
END
paste -d, told p | sed 's/,p/, p/' >seen
cat seen
[ "$(cat seen)" = "1 and 1 values: U 0, significant true, the fork's true, p 1.0000
2 and 2 values: U 0, significant true, the fork's true, p 0.3333
20 and 20 values: U 45, significant false, the fork's false, p 0.0000
30 and 30 values: U 105, significant false, the fork's false, p 0.0000" ] || { echo "this has changed"; exit 1; }
