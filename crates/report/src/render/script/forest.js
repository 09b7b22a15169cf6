// A forest plot drawn as forest.rs and svg.rs draw it: a row for each candidate with its point and interval on a
// logarithmic axis, the band shaded, a line at 1, and a description that says all of it.

const FOREST = { width: 460, from: 128, to: 338, words: 348, row: 19, bottom: 34, name: 20, said: 21, reason: 58, beyond: 2 };
const TICKS = [1, 2, 0.5, 10, 0.1, 100, 0.01, 5, 0.2, 1.25, 0.8, 1.1, 0.9, 3, 0.3];

const cut = (text, most) => ([...text].length > most ? `${[...text].slice(0, most - 1).join('')}…` : text);

// An element of a picture. The name of its name space is taken from a picture that is there.
function drawn(name, attributes, ...children) {
  const drawn = document.createElementNS(document.querySelector('svg').namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) drawn.setAttribute(key, value);
  drawn.append(...children);
  return drawn;
}

// Places on an axis that holds every point, and of every interval what is not far away.
function forestAxis(ratios) {
  const points = ratios.map(ratio => ratio.point);
  const [least, most] = [Math.min(1, ...points) / FOREST.beyond, Math.max(1, ...points) * FOREST.beyond];
  const ends = ratios.flatMap(({ point, low = point, high = point }) => [Math.max(low, least), Math.min(high, most)]);
  const low = Math.log(Math.min(0.8, ...ends) / 1.05);
  const high = Math.log(Math.max(1.25, ...ends) * 1.05);
  return ratio => FOREST.from + (FOREST.to - FOREST.from) * (Math.log(ratio) - low) / (high - low);
}

function forestTicks(place) {
  const shown = [];
  const room = 0.1 * (FOREST.to - FOREST.from);
  for (const tick of TICKS) {
    const x = place(tick);
    if (x >= FOREST.from && x <= FOREST.to && shown.every(other => Math.abs(place(other) - x) >= room)) shown.push(tick);
  }
  return shown;
}

// The point, a diamond for a score, else a disc, hollow where it is unclear, and over it the interval as a line with an
// upright at each end, so that one narrower than the point is seen, or an arrow where it goes on.
function forestBar(row, place, y, isScore, band) {
  const { ratio, isUnclear } = row;
  const at = place(ratio.point);
  const beyond = (ratio.point > 1 + band) - (1 / ratio.point > 1 + band);
  const step = ratio.word ? { better: 1, worse: -1 }[ratio.word] ?? 0 : beyond;
  const side = isUnclear ? 'u' : { '-1': 'w', 0: 's', 1: 'b' }[step];
  const bar = drawn('g', { class: `f f${side}` }, drawn('title', {}, rowText(row)));
  bar.append(isScore
    ? drawn('path', { class: 'p', d: `M${at - 6} ${y}l6-6 6 6-6 6z` })
    : drawn('circle', { class: 'p', cx: at, cy: y, r: 4 }));
  if (ratio.low !== undefined) {
    const [low, high] = [place(ratio.low), place(ratio.high)];
    const [from, to] = [Math.max(low, FOREST.from), Math.min(high, FOREST.to)];
    const ends = [low < FOREST.from ? `M${from + 4} ${y - 4}l-4 4 4 4` : `M${from} ${y - 4}v8`,
      high > FOREST.to ? `M${to - 4} ${y - 4}l4 4-4 4` : `M${to} ${y - 4}v8`];
    bar.append(drawn('path', { d: `M${from} ${y}H${to}${ends.join('')}` }));
  }
  return bar;
}

// A row in words.
const rowText = row => `${row.name} ${row.said}${row.note ? `, interval ${row.note}` : ''}`;

// What stands in a row beside its name: the bar with what is said of it, or, without a ratio, why there is none.
function forestRow(row, place, y, isScore, band) {
  if (!row.ratio) return [drawn('text', { class: 'bg', x: FOREST.from, y: y + 4 }, cut(row.said, FOREST.reason))];
  return [forestBar(row, place, y, isScore, band), drawn('text', { x: FOREST.words, y: y + 4 }, cut(row.said, FOREST.said))];
}

// A figure of `panels`, each a title with rows of name, ratio, what is said beside it, whether that is unclear, and a
// note for those who cannot see the bar; the first are scores.
function forestPlot(caption, band, panels) {
  const rows = panels.flatMap(panel => panel.rows);
  const place = forestAxis(rows.map(row => row.ratio).filter(ratio => ratio));
  const bottom = FOREST.row * (panels.length + rows.length);
  const said = panels.map(panel => `${panel.title}: ${panel.rows.map(rowText).join('; ')}.`);
  const picture = drawn('svg', { viewBox: `0 0 ${FOREST.width} ${bottom + FOREST.bottom}`, role: 'img' },
    drawn('title', {}, caption), drawn('desc', {}, said.join(' ')));
  const [left, right] = [place(1 / (1 + band)), place(1 + band)];
  picture.append(drawn('rect', { class: 'band', x: left, y: 0, width: right - left, height: bottom }));
  for (const tick of forestTicks(place)) {
    picture.append(drawn('path', { class: tick === 1 ? 'one' : 'g', d: `M${place(tick)} 0V${bottom}` }),
      drawn('text', { x: place(tick), y: bottom + 14, 'text-anchor': 'middle' }, `${tick}`));
  }
  picture.append(drawn('text', { x: (FOREST.from + FOREST.to) / 2, y: bottom + 29, 'text-anchor': 'middle' }, 'ratio, logarithmic'));
  let y = -FOREST.row / 2;
  const next = () => { y += FOREST.row; return y; };
  panels.forEach((panel, at) => {
    picture.append(drawn('text', { class: 'h', x: 0, y: next() + 4 }, panel.title));
    for (const row of panel.rows) {
      next();
      picture.append(drawn('text', { x: 8, y: y + 4 }, cut(row.name, FOREST.name)), ...forestRow(row, place, y, at === 0, band));
    }
  });
  return made('figure', { class: 'forest' }, element('figcaption', caption), picture);
}
