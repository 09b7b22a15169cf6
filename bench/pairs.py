"""Interleaved pairs: two contenders take turns (A B B A ...), so that a machine that drifts slows
both alike; what is compared is the ratio inside a pair, never two averages."""

import statistics


def interleave(a, b, pairs):
    """Runs both contenders `pairs` times; returns [(figures of a, figures of b), ...]."""
    results = []
    for pair in range(pairs):
        if pair % 2 == 0:
            first = a()
            results.append((first, b()))
        else:
            first = b()
            results.append((a(), first))
    return results


def ratios(results, metric):
    """a / b of one metric, pair by pair; above 1 means that a is faster."""
    return [a[metric] / b[metric] for a, b in results]


def row(title, metric, values):
    """One line of the table."""
    return "| {} | {} | {:.3f} | {:.3f} | {:.3f} | {} |".format(
        title, metric, statistics.median(values), min(values), max(values),
        " ".join(f"{value:.3f}" for value in values))


HEADER = ("| ratio | of | median | min | max | pairs |\n"
          "|---|---|---|---|---|---|")


def compare(contests, metrics, pairs):
    """Runs and prints every contest [(title, a, b), ...] as a Markdown table."""
    print(HEADER, flush=True)
    for title, a, b in contests:
        results = interleave(a, b, pairs)
        for metric in metrics:
            print(row(title, metric, ratios(results, metric)), flush=True)


def arguments(parser):
    """The arguments that every harness has."""
    parser.add_argument("dir", help="directory on the file system to measure")
    parser.add_argument("--pairs", type=int, default=10, help="pairs per contest [10]")
    parser.add_argument("--scale", default="0.25", help="factor on assay's sizes [0.25]")
    return parser
