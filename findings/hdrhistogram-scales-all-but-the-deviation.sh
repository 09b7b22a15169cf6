#!/usr/bin/env bash
# hdrhistogram 0.10.8 (PyPI): `output_percentile_distribution` prints the table of a histogram in the unit that its ratio makes
# of the recorded one, e.g. milliseconds of microseconds. The percentiles, the mean and the greatest value are divided by it,
# the standard deviation, on the line of the mean, is not: latencies of 50 ms in the mean seem to vary by 29 s. The ports for Go
# (hdrhistogram-go 1.2.0) and for JavaScript (hdr-histogram-js 3.0.1) print the same table, and divide both.
#
# Seen, of 1000, 2000, .. 100000 with a ratio of 1000:
#   Python: Mean = 50.504, StdDeviation = 28866.206
#   Go: Mean = 50.504, StdDeviation = 28.866
#   JavaScript: Mean = 50.504, StdDeviation = 28.866
#
# Needs python3, go, node with npm, and no root. Leaves nothing but what go and npm keep in their caches.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install hdrhistogram==0.10.8
cat >percentiles.py <<'END'
import sys
from hdrh.histogram import HdrHistogram

histogram = HdrHistogram(1, 3600000000, 3)
for value in range(1000, 101000, 1000):
    histogram.record_value(value)
histogram.output_percentile_distribution(sys.stdout.buffer, 1000)
END

cat >go.mod <<'END'
module percentiles

go 1.19
END
cat >percentiles.go <<'END'
package main

import (
	"os"

	"github.com/HdrHistogram/hdrhistogram-go"
)

func main() {
	histogram := hdrhistogram.New(1, 3600000000, 3)
	for value := int64(1000); value <= 100000; value += 1000 {
		if err := histogram.RecordValue(value); err != nil {
			panic(err)
		}
	}
	if _, err := histogram.PercentilesPrint(os.Stdout, 5, 1000); err != nil {
		panic(err)
	}
}
END
go get github.com/HdrHistogram/hdrhistogram-go@v1.2.0 >log 2>&1 || { cat log; exit 1; }

npm install --silent --no-audit --no-fund --prefix "$dir" hdr-histogram-js@3.0.1 >/dev/null
cat >percentiles.js <<'END'
const histogram = require("hdr-histogram-js").build({ highestTrackableValue: 3600000000, numberOfSignificantValueDigits: 3 });
for (let value = 1000; value <= 100000; value += 1000) histogram.recordValue(value);
console.log(histogram.outputPercentileDistribution(5, 1000));
END

last() { grep Mean | tr -d '#[]' | tr -s ' ' | sed 's/ ,/,/'; }
seen="Python: $(venv/bin/python percentiles.py | last)
Go: $(go run percentiles.go | last)
JavaScript: $(node percentiles.js | last)"
echo "$seen"
[ "$seen" = 'Python: Mean = 50.504, StdDeviation = 28866.206
Go: Mean = 50.504, StdDeviation = 28.866
JavaScript: Mean = 50.504, StdDeviation = 28.866' ] || { echo "this has changed"; exit 1; }
