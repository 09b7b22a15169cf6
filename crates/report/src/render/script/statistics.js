// Ratios, means and scores from the logarithms of blocks, as crates/stats computes them: the self-test holds both to
// the same vectors. A series has a place for each block, `null` where it has none. What is known of noise was learnt
// from all cells of the campaign, and no choice changes it, so it comes with the data.

const sum = values => values.reduce((all, value) => all + value, 0);
const mean = values => sum(values) / values.length;
const known = series => series.filter(value => value !== null);

function variance(values) {
  const centre = mean(values);
  return sum(values.map(value => (value - centre) ** 2)) / (values.length - 1);
}

// ln of the gamma function at x > 0, by Stirling's series from 15 on and its recurrence below.
function lnGamma(x) {
  let shift = 0;
  for (; x < 15; x += 1) shift += Math.log(x);
  const y = 1 / (x * x);
  const series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y / 1680))) / x;
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series - shift;
}

// Regularised incomplete beta function of x and its complement, by its continued fraction (Lentz's method).
function incompleteBeta(a, b, x, rest) {
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, rest, x);
  if (x <= 0) return 0;
  const tiny = 1e-300;
  let [c, d] = [1, 1 / (1 - (a + b) * x / (a + 1) || tiny)];
  let all = d;
  for (let m = 1; m < 500; m += 1) {
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const term of [even, odd]) {
      d = 1 / (1 + term * d || tiny);
      c = 1 + term / c || tiny;
      change = c * d;
      all *= change;
    }
    if (Math.abs(change - 1) < 1e-15) break;
  }
  const front = lnGamma(a + b) - lnGamma(a) - lnGamma(b) + a * Math.log(x) + b * Math.log(rest);
  return Math.exp(front) * all / a;
}

// Share of Student's t further from 0 than t.
const beyond = (df, t) => incompleteBeta(df / 2, 0.5, df / (df + t * t), t * t / (df + t * t));

// Quantile p > 1/2 of Student's t, by bisection.
const quantiles = new Map();
function quantile(df, p) {
  const key = `${df} ${p}`;
  if (!quantiles.has(key)) {
    let [low, high] = [0, 1];
    while (beyond(df, high) > 2 * (1 - p)) high *= 2;
    for (let step = 0; step < 60; step += 1) {
      const middle = (low + high) / 2;
      if (beyond(df, middle) > 2 * (1 - p)) low = middle; else high = middle;
    }
    quantiles.set(key, (low + high) / 2);
  }
  return quantiles.get(key);
}

// What to expect of a variance at this covariate; `null` where nothing is known.
function expected(learnt, covariate) {
  if (!learnt || (learnt.slope !== null && covariate === null)) return null;
  const trend = learnt.slope === null ? 0 : learnt.slope * (covariate - learnt.centre);
  return { variance: Math.exp(learnt.level + trend), df: learnt.df };
}

// Variance and its degrees of freedom, moderated by what is expected: never below its own.
function moderated(values, prior) {
  const [own, df] = [variance(values), values.length - 1];
  if (!prior) return [own, df];
  const all = prior.df + df;
  return [Math.max(own, (prior.df * prior.variance + df * own) / all), all];
}

// Mean of the logarithms with its standard error and degrees of freedom, the latter two where there are replicates.
function estimate(values, prior = null) {
  if (values.length < 2) return { mean: mean(values) };
  const [own, df] = moderated(values, prior);
  return { mean: mean(values), se: Math.sqrt(own / values.length), df };
}

function welch(a, b, priors = [null, null]) {
  const [[va, da], [vb, db]] = [[a, priors[0]], [b, priors[1]]].map(([values, prior]) => {
    const [own, df] = moderated(values, prior);
    return [own / values.length, df];
  });
  const spread = va * va / da + vb * vb / db;
  return { mean: mean(a) - mean(b), se: Math.sqrt(va + vb), df: spread > 0 ? (va + vb) ** 2 / spread : da + db };
}

function asRatio({ mean, se, df }, confidence) {
  if (se === undefined) return { point: Math.exp(mean) };
  const half = quantile(df, 0.5 + confidence / 2) * se;
  return { point: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
}

// The word for a ratio (comparison.rs).
function judge({ point, low, high }, band) {
  if (low === undefined) return 'unclear';
  const edge = Math.log1p(band);
  const [at, from, to] = [point, low, high].map(Math.log);
  const isDecided = from > 0 || to < 0;
  if (isDecided && Math.abs(at) > edge) return at > 0 ? 'better' : 'worse';
  if (-from <= edge && to <= edge) return 'same';
  if (!isDecided) return 'unclear';
  return at > 0 ? 'slightly better' : 'slightly worse';
}

const paired = (a, b) => a.map((value, at) => (value === null || b[at] === null ? null : value - b[at]));

// The data with its logarithms as numbers and noise by pair.
function decoded(data) {
  const blocks = Math.max(0, ...data.tables.flatMap(table => table.rows.flatMap(row => row.logs.map(own => own.length))));
  const series = steps => {
    const first = steps.find(step => step !== null) ?? 0;
    let isFirst = true;
    const own = steps.map(step => {
      if (step === null) return null;
      const value = (isFirst ? step : first + step) / 1e6;
      isFirst = false;
      return value;
    });
    return [...own, ...Array(blocks - own.length).fill(null)];
  };
  const row = row => ({
    ...row,
    logs: row.logs.map(series),
    lengths: row.lengths.map(length => (length === null ? null : length / 1e4)),
  });
  const byPair = list => new Map(list.map(learnt => [`${learnt.a} ${learnt.b}`, learnt]));
  return {
    ...data,
    tables: data.tables.map(table => ({ ...table, rows: table.rows.map(row) })),
    cell_noise: byPair(data.cell_noise),
    mean_noise: byPair(data.mean_noise),
  };
}

const learnt = (noise, a, b) => noise.get(`${Math.min(a, b)} ${Math.max(a, b)}`);
const isValid = (row, column) => row.logs[column].some(value => value !== null);

// Column over base in a row, with noise learnt from the other cells; `null` where either has no value.
function compare(data, row, column, base) {
  const [own, other] = [row.logs[column], row.logs[base]];
  const differences = known(paired(own, other));
  const [a, b] = [known(own), known(other)];
  if (differences.length > 1) {
    const [x, y] = [row.lengths[column], row.lengths[base]];
    return estimate(differences, expected(learnt(data.cell_noise, column, base), x === null || y === null ? null : (x + y) / 2));
  }
  if (a.length > 1 && b.length > 1) {
    return welch(a, b, [column, base].map(at => expected(learnt(data.cell_noise, at, at), row.lengths[at])));
  }
  if (differences.length) return estimate(differences);
  return a.length && b.length ? { mean: mean(a) - mean(b) } : null;
}

// Whether the machine was too busy with other work for a verdict, while any of the columns was measured (contention.rs).
function isContended(rows, columns) {
  return columns.some(column => {
    let [contended, samples] = [0, 0];
    for (const row of rows) {
      const [own, all] = row.contended?.[column] ?? [0, known(row.logs[column]).length];
      contended += own;
      samples += all;
    }
    return contended > 0.2 * samples;
  });
}

// A ratio with its word (equivalence.rs): while the machine was too busy with other work it is not judged.
function worded(ratio, data, rows, columns) {
  const isBusy = isContended(rows, columns);
  return { ...ratio, isBusy, word: isBusy ? 'unclear' : judge(ratio, data.band) };
}

// The ratio of a cell with its word.
function cellRatio(data, row, column, base) {
  const found = compare(data, row, column, base);
  if (!found) return null;
  return worded(asRatio(found, data.confidence.cell), data, [row], [column, base]);
}

// Scores of blocks (blocks.rs): a part is a test with its weight, mean and values by block.
function partOf(data, row, column, base, weight) {
  const found = compare(data, row, column, base);
  return found && { weight, mean: found.mean, points: paired(row.logs[column], row.logs[base]) };
}

function centre(parts) {
  const weight = sum(parts.map(part => part.weight));
  return weight > 0 ? sum(parts.map(part => part.weight * part.mean)) / weight : null;
}

function blockScores(parts) {
  const middle = centre(parts);
  if (middle === null) return [];
  const weight = sum(parts.map(part => part.weight));
  return known(parts[0].points.map((_, block) => {
    const here = parts.filter(part => part.points[block] !== null);
    const held = sum(here.map(part => part.weight));
    if (held <= weight / 2) return null;
    return middle + sum(here.map(part => part.weight * (part.points[block] - part.mean))) / held;
  }));
}

function estimateOf(parts, noise = null) {
  const middle = centre(parts);
  if (middle === null) return null;
  const weight = sum(parts.map(part => part.weight));
  const replicated = parts.filter(part => known(part.points).length > 1);
  const apart = sum(replicated.map(part => (part.weight / weight) ** 2 * variance(known(part.points))));
  const scores = blockScores(parts);
  const error = scores.length > 1 ? estimate(scores, expected(noise, apart > 0 ? Math.log(apart) : null)) : {};
  return { ...error, mean: middle };
}

// Where no block has both: the scores of each side (blocks.rs).
function estimateApart(rows, column, base) {
  const both = rows.filter(row => isValid(row, column) && isValid(row, base));
  const side = at => both.map(row => ({ weight: 1, mean: mean(known(row.logs[at])), points: row.logs[at] }));
  const [own, other] = [side(column), side(base)];
  if (!both.length) return null;
  const [a, b] = [blockScores(own), blockScores(other)];
  const error = a.length > 1 && b.length > 1 ? welch(a, b) : {};
  return { ...error, mean: centre(own) - centre(other) };
}

// The mean ratio of a table with its word (footer.rs); `null` where there is none.
function meanRatio(data, table, column, base) {
  const measured = data.targets.map((_, at) => at).filter(at => table.rows.some(row => isValid(row, at)));
  const rows = table.rows.filter(row => row.scored && measured.every(at => isValid(row, at)));
  const parts = rows.map(row => partOf(data, row, column, base, 1)).filter(part => part);
  let found = null;
  if (rows.length === 1) found = compare(data, rows[0], column, base);
  else if (parts.some(part => known(part.points).length)) found = estimateOf(parts, learnt(data.mean_noise, column, base));
  else found = estimateApart(rows, column, base);
  if (!found) return null;
  return worded(asRatio(found, data.confidence.mean), data, rows, [column, base]);
}

// The rows of tables that are scored, each with its group.
const entriesOf = tables =>
  tables.flatMap(table => table.rows.filter(row => row.scored).map(row => ({ row, group: table.group })));

// The score of every measured column that is not `out`, over `base`, or over the first of them where that is not
// there (board.rs): groups weigh as `weightOf` says, the rows of a group the same.
function scores(data, entries, base, weightOf, out = []) {
  const isMeasured = at => !out.includes(at) && entries.some(({ row }) => isValid(row, at));
  const columns = data.targets.map((_, at) => at).filter(isMeasured);
  const shared = entries.filter(({ row }) => columns.every(at => isValid(row, at)));
  const over = columns.includes(base) ? base : columns[0];
  const count = group => shared.filter(other => other.group === group).length;
  const groups = new Map(shared.map(({ group }) => [group, weightOf(group) / count(group)]));
  const ratios = columns.map(column => {
    if (column === over) return { column, ratio: shared.length ? { point: 1 } : null };
    const parts = shared.map(({ row, group }) => partOf(data, row, column, over, groups.get(group)));
    const found = estimateOf(parts);
    return { column, ratio: found && asRatio(found, data.confidence.score) };
  });
  return { over, out, shared, of: entries.length, ratios: ratios.filter(({ ratio }) => ratio) };
}

// The score of one group by itself, from the entries that a score shares, with its word, by column.
function groupRatios(data, { over, out, shared }, group) {
  const own = shared.filter(entry => entry.group === group);
  const { ratios } = scores(data, own, over, () => 1, out);
  const judged = ({ column, ratio }) => [column, worded(ratio, data, own.map(({ row }) => row), [column, over])];
  return new Map(ratios.filter(({ column }) => column !== over).map(judged));
}
