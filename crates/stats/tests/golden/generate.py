#!/usr/bin/env python3
"""Writes golden.json: random campaigns, and what scipy and numpy conclude from them.

Nothing here follows the code under test: plain t tests are scipy's, what is learnt of a family of
variances comes from a least-squares fit, scipy's polygamma and a root, the residual variance from a
least-squares fit with dummy variables, Holm is done with adjusted p-values, P(best) and regret are
integrals, not draws. Needed: numpy and scipy (written with numpy 2.4, scipy 1.17).

Usage: generate.py > golden.json
"""

import itertools
import json
import math

import numpy as np
from scipy import optimize, special, stats

DRAWS = 20_000  # of the program; decides how far a drawn share may lie from the integral
GROUPS = ["write-critical", "read-cold", "meta"]


def campaign(rng, name, levels, tests, blocks, noise, missing=0.0, groups=1, procs=(1,), lengths=False):
    """Oriented logs[target, cell, block], NaN where missing. `noise` is one sd for each target. With
    `lengths` the timed parts of the cells differ, and the shorter are the noisier."""
    cells = [(test, n) for test in range(tests) for n in procs]
    shape = (len(levels), len(cells), blocks)
    logs = np.log(levels)[:, None, None] + rng.normal(4, 1, (1, len(cells), 1))
    logs = logs + rng.normal(0, 0.05, (1, len(cells), 1)) * np.arange(len(levels))[:, None, None]
    seconds = np.exp(rng.normal(0, 1, len(cells))) if lengths else np.ones(len(cells))
    own = rng.normal(0, 1, shape) / np.sqrt(seconds)[None, :, None]
    logs = logs + rng.normal(0, 0.04, (1, 1, blocks)) + own * np.array(noise)[:, None, None]
    logs[rng.random(shape) < missing] = np.nan
    kinds = [{"group": GROUPS[t % groups], "lower": bool(t % 3 == 2)} for t in range(tests)]
    return {"name": name, "logs": logs, "cells": cells, "tests": kinds, "seconds": seconds}


def estimate(result):
    """Point, interval and p-value of a scipy t test on logs; scipy gives the interval of the mean."""
    interval = result.confidence_interval(0.95)
    middle = (interval.low + interval.high) / 2
    return [math.exp(middle), math.exp(interval.low), math.exp(interval.high), float(result.pvalue)]


def ratio(own, base):
    """Paired where two blocks are shared, Welch where each side has two, else nothing."""
    shared = ~np.isnan(own) & ~np.isnan(base)
    if shared.sum() >= 2:
        return estimate(stats.ttest_rel(own[shared], base[shared]))
    own, base = own[~np.isnan(own)], base[~np.isnan(base)]
    if len(own) >= 2 and len(base) >= 2:
        return estimate(stats.ttest_ind(own, base, equal_var=False))
    return None


def known(row):
    return row[~np.isnan(row)]


def directions(row):
    """Deviations from the mean, of length 1; 0 where there is no value."""
    off = np.nan_to_num(row - np.nanmean(row))
    return off / np.linalg.norm(off)


def learn(rows, places):
    """From the variances of `rows`, NaN where missing, and where each lies: what to expect of one at a
    place, as (s0^2, d0). After Smyth 2004 and limma's fitFDist, with what METHODS.md adds to them."""
    noisy = [(row, x) for row, x in zip(rows, places) if len(known(row)) > 2 and known(row).var(ddof=1) > 1e-18]
    if len(noisy) < 10:
        return lambda place: None
    m, x = len(noisy), np.array([x for _, x in noisy])
    d = np.array([len(known(row)) - 1 for row, _ in noisy])
    logs = np.log([known(row).var(ddof=1) for row, _ in noisy]) - special.digamma(d / 2) + np.log(d / 2)
    columns = lambda x: np.column_stack([np.ones_like(x), x] if trend else [np.ones_like(x)])
    trend = x.std(ddof=1) > 0.05
    line = np.linalg.lstsq(columns(x), logs, rcond=None)[0]
    df = m - len(line)
    around = ((logs - columns(x) @ line) ** 2).sum() / df * (1 + math.sqrt(2 / df))
    spread = around - special.polygamma(1, d / 2).mean()
    d0 = 2 * optimize.brentq(lambda y: special.polygamma(1, y) - spread, 1e-6, 1e9) if spread > 0 else math.inf
    bias = special.digamma(d0 / 2) - math.log(d0 / 2) if spread > 0 else 0
    ways = [directions(row) for row, _ in noisy]
    alike = np.mean([(a @ b) ** 2 for a, b in itertools.combinations(ways, 2)])
    mean_d = d.mean()
    shared = np.clip((alike - 1 / mean_d) / (1 - 1 / mean_d) * (mean_d + 2) / mean_d, 0, 1)
    d0 = min(d0, mean_d / (1 / m + (1 - 1 / m) * shared) - mean_d)
    if d0 <= 0:
        return lambda place: None
    return lambda place: (float(np.exp(columns(np.array([place])) @ line + bias)[0]), d0)


def moderated(values, expected):
    """Variance and degrees of freedom; one above what is expected stays."""
    own, d = values.var(ddof=1), len(values) - 1
    if expected is None:
        return own, d
    variance, d0 = expected
    return max(own, (d0 * variance + d * own) / (d0 + d)), d0 + d


def student(mean, se, df):
    half = stats.t.ppf(0.975, df) * se
    return [math.exp(mean), math.exp(mean - half), math.exp(mean + half), float(2 * stats.t.sf(abs(mean) / se, df))]


def learnt_ratios(data, target):
    """The ratio of `target` over the baseline in each cell, with moderated variances."""
    logs, places = data["logs"], np.log(data["seconds"])
    of_pair = learn(logs[target] - logs[0], places)
    of_own, of_base = learn(logs[target], places), learn(logs[0], places)
    for c, place in enumerate(places):
        own, base = logs[target, c], logs[0, c]
        pairs, own, base = known(own - base), known(own), known(base)
        if len(pairs) >= 2:
            variance, df = moderated(pairs, of_pair(place))
            yield student(pairs.mean(), math.sqrt(variance / len(pairs)), df)
        elif len(own) >= 2 and len(base) >= 2:
            (va, da), (vb, db) = moderated(own, of_own(place)), moderated(base, of_base(place))
            va, vb = va / len(own), vb / len(base)
            df = (va + vb) ** 2 / (va ** 2 / da + vb ** 2 / db)
            yield student(own.mean() - base.mean(), math.sqrt(va + vb), df)
        else:
            yield None


def holm(p_values):
    """Adjusted p-values, the running maximum of (m - i) p(i), compared with 5 %."""
    p = np.asarray(p_values)
    order = np.argsort(p)
    adjusted = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    marks = np.empty(len(p), dtype=bool)
    marks[order] = adjusted <= 0.05
    return marks.tolist()


def tables(data):
    """Rows of each table (group and processes), as indices of cells."""
    key = lambda i: (data["tests"][data["cells"][i][0]]["group"], data["cells"][i][1])
    found = {}
    for i in range(len(data["cells"])):
        found.setdefault(key(i), []).append(i)
    return found


def footers(data):
    """Geometric means of ratios, with the t interval over blocks of the mean over tests, whose variance is
    moderated by the other tables, at the place of what it would be if tests shared no noise."""
    logs = data["logs"]
    for target in range(1, len(logs)):
        ratios = [logs[target, cells] - logs[0, cells] for cells in tables(data).values()]
        rows = [r.mean(axis=0) for r in ratios]
        places = [math.log(r.var(axis=1, ddof=1).sum() / len(r) ** 2) for r in ratios]
        expected = learn(rows, places)
        for (group, procs), row, place in zip(tables(data), rows, places):
            variance, df = moderated(row, expected(place))
            value = student(row.mean(), math.sqrt(variance / len(row)), df)
            yield {"group": group, "procs": procs, "target": target, "ratio": value}


def scores(data):
    """score[target, block]: equal groups, then equal cells inside a group."""
    by_group = {}
    for (group, _), cells in tables(data).items():
        by_group.setdefault(group, []).extend(cells)
    return np.mean([data["logs"][:, cells].mean(axis=1) for cells in by_group.values()], axis=0)


def own_variances(score):
    """Of the mean of each target, by least squares on those of the pairs, none below a twentieth of the largest."""
    targets, blocks = score.shape
    pairs = list(itertools.combinations(range(targets), 2))
    of_pairs = np.array([(score[a] - score[b]).var(ddof=1) / blocks for a, b in pairs])
    if targets == 2:
        return np.full(2, of_pairs[0] / 2)
    design = np.array([[float(t in pair) for t in range(targets)] for pair in pairs])
    own = np.linalg.lstsq(design, of_pairs, rcond=None)[0]
    return np.maximum(own, 0.05 * own.max())


def spreads(means, variances):
    """Standard deviations of levels with their probabilities given the noise, under a flat prior from 0.01 to 10 times
    what the means vary by."""
    unit = means.max() - means.min() + math.sqrt(variances.mean())
    spread = unit * np.geomspace(0.01, 10, 81)
    total = variances[:, None] + spread**2
    centre = (means[:, None] / total).sum(axis=0) / (1 / total).sum(axis=0)
    log = stats.norm.logpdf(means[:, None], centre, np.sqrt(total)).sum(axis=0) - np.log((1 / total).sum(axis=0)) / 2
    weight = np.exp(log - log.max()) * spread
    return spread, weight / weight.sum()


def behind(means, variances, df, target, regret):
    """P(best of the others - target <= regret): over the scale of the noise by midpoints of its quantiles, over what
    levels vary by, over their centre and the target's own level by Gauss and Hermite."""
    others, found = np.arange(len(means)) != target, 0.0
    (y, weight_y), (z, weight_z) = (np.polynomial.hermite_e.hermegauss(n) for n in (10, 24))
    scales = df / stats.chi2.ppf((np.arange(40) + 0.5) / 40, df)
    for scale in scales:
        v = variances * scale
        if len(means) == 2:
            level, sd, weights = means[:, None, None], np.sqrt(v)[:, None, None], np.ones((1, 1))
        else:
            spread, weight = spreads(means, v)
            total = v[:, None] + spread**2
            centre = (means[:, None] / total).sum(axis=0) / (1 / total).sum(axis=0)
            centre = centre[:, None] + y / np.sqrt((1 / total).sum(axis=0))[:, None]
            share = (spread**2 / total)[:, :, None]
            level = centre + share * (means[:, None, None] - centre)
            sd = np.sqrt(share * v[:, None, None])
            weights = weight[:, None] * weight_y / weight_y.sum()
        own = level[target][..., None] + sd[target][..., None] * z
        steps = (own + regret - level[others][..., None]) / sd[others][..., None]
        inside = (stats.norm.cdf(steps).prod(axis=0) @ weight_z) / weight_z.sum()
        found += float((inside * weights).sum()) / len(scales)
    return found


def posterior(score):
    """P(best) of each target, and between which values its 95 % regret must lie."""
    means, variances, df = score.mean(axis=1), own_variances(score), score.shape[1] - 1
    margin = 4 * math.sqrt(0.95 * 0.05 / DRAWS)
    for target in range(len(means)):
        below = lambda regret: behind(means, variances, df, target, regret)
        ends = []
        for share in (0.95 - margin, 0.95 + margin):
            end = 0.0 if below(0) >= share else optimize.brentq(lambda r: below(r) - share, 0, 10, xtol=1e-4)
            ends.append(-math.expm1(-end))
        pairs = [stats.ttest_rel(score[target], s, alternative="greater").pvalue for i, s in enumerate(score) if i != target]
        yield {"target": target, "p_best": min(below(0), 1 - max(pairs)), "regret": ends}


def reach(score, first):
    """By how many standard errors the differences of the first and each other may be above what was seen, all of them
    together, with 97.5 %: by draws of a multivariate t."""
    variances, df = own_variances(score), score.shape[1] - 1
    rng = np.random.default_rng(7)
    z = rng.normal(size=(len(variances), 1_000_000)) * np.sqrt(variances)[:, None]
    others = np.arange(len(variances)) != first
    t = (z[first] - z[others]) / np.sqrt(variances[first] + variances[others])[:, None]
    return float(np.quantile(t.max(axis=0) / np.sqrt(rng.chisquare(df, 1_000_000) / df), 0.975))


def ranks(score):
    """Rank intervals by Holm over all pairs, and of the first by Holm over its own pairs."""
    pairs = list(itertools.combinations(range(len(score)), 2))
    means, p = score.mean(axis=1), lambda a, b: stats.ttest_rel(score[a], score[b]).pvalue
    first = int(np.argmax(means))
    own = [pair for pair in pairs if first in pair]
    apart = {pair for family in (pairs, own) for pair, certain in zip(family, holm([p(*pair) for pair in family])) if certain}
    intervals = [[1, len(score)] for _ in score]
    for a, b in apart:
        better, worse = (a, b) if means[a] > means[b] else (b, a)
        intervals[worse][0] += 1
        intervals[better][1] -= 1
    return intervals


def call(data):
    """The lead of the first over the second, and what is said of each target. The upper end of the lead is by draws, so it
    is known to a percent of its length."""
    score = scores(data)
    order = np.argsort(-score.mean(axis=1))
    lead = stats.ttest_rel(score[order[0]], score[order[1]])
    interval = lead.confidence_interval(0.95)
    value, plain = estimate(lead), (interval.high - interval.low) / 2
    if len(score) > 2:
        steps = reach(score, order[0]) / stats.t.ppf(0.975, score.shape[1] - 1)
        value[2] = value[0] * math.exp(plain * steps)
    candidates = list(posterior(score))
    for candidate, interval in zip(candidates, ranks(score)):
        candidate["ranks"] = interval
    return {"lead": value, "candidates": candidates}


def judged(data, whole=True):
    """One campaign as JSON: samples first, then what is concluded from them."""
    logs, cells = data["logs"], data["cells"]
    plain = [[ratio(logs[t, c], logs[0, c]) for t in range(1, len(logs))] for c in range(len(cells))]
    ratios = list(zip(*(learnt_ratios(data, t) for t in range(1, len(logs)))))
    marks = {}
    for rows in tables(data).values():
        flat = [(c, t) for c in rows for t in range(len(logs) - 1) if ratios[c][t]]
        marks.update(zip(flat, holm([ratios[c][t][3] for c, t in flat])))
    sign = lambda c: -1 if data["tests"][cells[c][0]]["lower"] else 1
    samples = [[t, *cells[c], b, math.exp(sign(c) * logs[t, c, b]), data["seconds"][c]]
               for t, c, b in np.ndindex(logs.shape) if not np.isnan(logs[t, c, b])]
    expected = [{"test": cells[c][0], "procs": cells[c][1], "target": t + 1, "ratio": ratios[c][t],
                 "plain": plain[c][t], "holm": marks.get((c, t), False)} for c, t in np.ndindex(len(cells), len(logs) - 1)]
    return {"name": data["name"], "targets": len(logs), "tests": data["tests"], "samples": samples,
            "cells": expected, "footers": list(footers(data)) if whole else [],
            "call": call(data) if whole else None}


def main():
    rng = np.random.default_rng(20251121)
    near, far = [1, 1.02, 0.99, 1.01], [1, 1.1, 0.9]
    campaigns = [
        judged(campaign(rng, "four near targets", near, 6, 5, [0.03] * 4, groups=2)),
        judged(campaign(rng, "two process counts", [1, 1.04], 4, 3, [0.03] * 2, procs=(1, 64))),
        judged(campaign(rng, "three far targets", far, 5, 10, [0.05] * 3, groups=3)),
        judged(campaign(rng, "one noisy target", far, 3, 12, [0.01, 0.01, 0.2], groups=2)),
        judged(campaign(rng, "sixty cells", [1, 1.05], 60, 5, [0.04] * 2)),
        judged(campaign(rng, "missing samples", [1, 1.2, 0.8], 20, 6, [0.05] * 3, missing=0.4), whole=False),
        judged(campaign(rng, "few samples left", [1, 1.2], 30, 8, [0.05] * 2, missing=0.7), whole=False),
        judged(campaign(rng, "thirty blocks", [1, 1.001], 3, 30, [0.02] * 2)),
        judged(campaign(rng, "short and long parts", [1, 1.05, 1.1], 25, 3, [0.03, 0.03, 0.06], lengths=True)),
        judged(campaign(rng, "twelve tables", [1, 1.05], 6, 4, [0.04] * 2, groups=3, procs=(1, 2, 4, 8))),
    ]
    widths = [[noise, n, math.expm1(stats.t.ppf(0.975, n - 1) * math.log1p(noise) * math.sqrt(2 / n))]
              for noise in (0.01, 0.05, 0.2) for n in (2, 3, 4, 5, 7, 8, 10, 12, 20, 30, 100, 1000)]
    print(json.dumps({"half_widths": widths, "campaigns": campaigns}))


main()
