#!/usr/bin/env bash
# gohistogram 1.0.0 (Go module github.com/VividCortex/gohistogram) estimates percentiles without keeping the samples. In
# its `WeightedHistogram` older samples count less. Its documentation says: alpha should be 2 / (N + 1), 0.0645 for a
# window of 60 seconds with an average age of 30. Expected: the percentiles of some dozen samples. What a sample counts
# is to be multiplied by 1 - alpha for each further one; the two are mixed up, and it is multiplied by alpha: of a
# sample 6 percent are left after the next one, and each percentile is the last sample. With the opposite of what is
# documented it is as expected. Only a sample that is larger than all others ages nothing, so that a load that gets
# slower and slower counts in full. The only test of the package has an alpha of 1, with which nothing ages. Latencies
# of 1 to 100 in a fixed disorder, and in order:
#
# Seen:
#   alpha 0.0645, 1000 in disorder, the last 8: p10 8, p50 8, p90 8, as many as 1.07 samples
#   alpha 0.9355, 1000 in disorder, the last 8: p10 8, p50 49, p90 90, as many as 15.50 samples
#   alpha 0.0645, 1 to 100: p10 10, p50 50, p90 90, as many as 100.00 samples
#   alpha 0.0645, 100 to 1: p10 1, p50 1, p90 1, as many as 1.07 samples
#
# Needs go, and no root. Leaves nothing but what go keeps in its caches.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat >go.mod <<'END'
module weigh
go 1.24
END
cat >weigh.go <<'END'
package main

import (
	"fmt"

	"github.com/VividCortex/gohistogram"
)

func main() {
	var disorder, up, down []int
	for at := range 1000 {
		disorder = append(disorder, (at*37+44)%100+1)
	}
	for at := range 100 {
		up, down = append(up, at+1), append(down, 100-at)
	}
	alpha := 2.0 / 31
	name := fmt.Sprintf("1000 in disorder, the last %d", disorder[999])
	fmt.Println(told(alpha, name, disorder))
	fmt.Println(told(1-alpha, name, disorder))
	fmt.Println(told(alpha, "1 to 100", up))
	fmt.Println(told(alpha, "100 to 1", down))
}

func told(alpha float64, name string, samples []int) string {
	histogram := gohistogram.NewWeightedHistogram(80, alpha)
	for _, sample := range samples {
		histogram.Add(float64(sample))
	}
	return fmt.Sprintf("alpha %.4f, %s: p10 %.0f, p50 %.0f, p90 %.0f, as many as %.2f samples", alpha, name,
		histogram.Quantile(0.1), histogram.Quantile(0.5), histogram.Quantile(0.9), histogram.Count())
}
END
go get github.com/VividCortex/gohistogram@v1.0.0 >log 2>&1 || { cat log; exit 1; }
go run . >seen
cat seen
[ "$(cat seen)" = 'alpha 0.0645, 1000 in disorder, the last 8: p10 8, p50 8, p90 8, as many as 1.07 samples
alpha 0.9355, 1000 in disorder, the last 8: p10 8, p50 49, p90 90, as many as 15.50 samples
alpha 0.0645, 1 to 100: p10 10, p50 50, p90 90, as many as 100.00 samples
alpha 0.0645, 100 to 1: p10 1, p50 1, p90 1, as many as 1.07 samples' ] || { echo "this has changed"; exit 1; }
