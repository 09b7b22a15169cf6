#!/usr/bin/env bash
# bayesian-changepoint 1.0.1 (npm) finds the points where a series of measurements changes. It works through the series
# in chunks, by default of 1000 values (`chunkSize`). Expected: the points do not depend on where a chunk ends, or only
# near it. For each chunk it takes the values of the first one again, and adds the offset of the chunk to what it finds.
# A change behind the first chunk is never found, and one in it is found again for each further chunk, at places where
# nothing happens. Nothing fails, and with less than 1000 values, as in its example, all is right. 400 values around 0,
# and around 10 from a given place on:
#
# Seen, of the change at 250 and of the one at 50:
#   1 chunk: 250 and 50
#   chunks of 200: none and 50, 250
#   chunks of 100: none and 50, 150, 250, 350
#
# Needs node with npm, and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-fund --no-audit --prefix "$dir" bayesian-changepoint@1.0.1 >/dev/null 2>&1

cat >find.js <<'END'
const BayesianChangePoint = require("bayesian-changepoint").default;

// Between -1 and 1, in a fixed disorder.
const noise = at => (at * 37 % 101) / 50 - 1;
function find(change, chunkSize) {
    const values = Array.from({ length: 400 }, (_, at) => noise(at) + (at < change ? 0 : 10));
    const found = new BayesianChangePoint({ breakpointVerifier: () => true, chunkSize });
    found.exec(values);
    return found.breakPoints().map(point => point.index).join(", ") || "none";
}

for (const size of [400, 200, 100]) {
    console.log(`${size === 400 ? "1 chunk" : `chunks of ${size}`}: ${find(250, size)} and ${find(50, size)}`);
}
END
node find.js >seen
cat seen
[ "$(cat seen)" = '1 chunk: 250 and 50
chunks of 200: none and 50, 250
chunks of 100: none and 50, 150, 250, 350' ] || { echo "this has changed"; exit 1; }
