#!/usr/bin/env bash
# hdr-histogram-js 3.0.1 (npm) counts latencies in buckets of 8, 16, 32 (default) or 64 bits; autocannon and other load
# generators use it. The histogram for Java, of which it is a port, refuses a count that no longer fits, and so does the
# port, by the same test: whether the new count is negative. A number of JavaScript never is, and storing it in an array
# of 16 bits drops what does not fit. Expected: an error, or right percentiles. With 16 bits, the 65536th sample of one
# bucket sets its count to 0, while the total goes on: most percentiles are then 0, below all that was measured. Nothing
# is raised, but by `mean`. Its page says how many bits a bucket has, not what happens beyond.
#
# Seen, of samples of 1 ms, and one of 1000 ms for each 100 of them:
#   16 bits, 60000 samples: total 60600, p50 1, p99 1, p99.9 1000
#   16 bits, 66000 samples: total 66660, p50 0, p99 0, p99.9 0
#   32 bits, 66000 samples: total 66660, p50 1, p99 1, p99.9 1000
#
# Needs node with npm, and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-fund --no-audit --prefix "$dir" hdr-histogram-js@3.0.1 >/dev/null 2>&1

cat >count.js <<'END'
const hdr = require("hdr-histogram-js");

for (const [bits, samples] of [[16, 60000], [16, 66000], [32, 66000]]) {
    const histogram = hdr.build({ bitBucketSize: bits, numberOfSignificantValueDigits: 3 });
    for (let sample = 0; sample < samples; sample++) {
        histogram.recordValue(1);
        if (sample % 100 === 0) histogram.recordValue(1000);
    }
    const percentiles = [50, 99, 99.9].map(at => `p${at} ${histogram.getValueAtPercentile(at)}`);
    console.log(`${bits} bits, ${samples} samples: total ${histogram.totalCount}, ${percentiles.join(", ")}`);
}
END
node count.js >seen
cat seen
[ "$(cat seen)" = '16 bits, 60000 samples: total 60600, p50 1, p99 1, p99.9 1000
16 bits, 66000 samples: total 66660, p50 0, p99 0, p99.9 0
32 bits, 66000 samples: total 66660, p50 1, p99 1, p99.9 1000' ] || { echo "this has changed"; exit 1; }
