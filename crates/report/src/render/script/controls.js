// The bar of controls: what if, and which rows are shown. It is here only where the script runs.

const FILTERS = [
  ['decided', 'Only decided rows', row => !!row.querySelector('.b1,.b2,.b3,.w1,.w2,.w3,.s')],
  ['quiet', 'Hide noisy rows', row => !/noisy/.test(row.textContent)],
];
const judged = () => [...document.querySelectorAll('main table')]
  .filter(table => !table.closest(DRAWER) && table.querySelector('tbody .n b'));

// Candidates up to which each has its box in the bar.
const MOST_BESIDE = 6;

function filter() {
  const chosen = FILTERS.filter(([name]) => state.has(name));
  document.querySelectorAll('.hidden-rows').forEach(own => own.remove());
  for (const table of judged()) {
    const rows = bodyRows(table);
    for (const row of rows) row.hidden = !chosen.every(([, , isShown]) => isShown(row));
    // A heading goes with its rows.
    for (const body of table.tBodies) {
      const own = [...body.rows].filter(row => row.cells.length > 1);
      const title = body.querySelector('.t');
      if (title && own.length) title.parentElement.hidden = own.every(row => row.hidden);
    }
    if (rows.length && rows.every(row => row.hidden)) (table.closest('.wide') ?? table).after(allHidden(rows, chosen));
  }
}

// Which filters hide all of `rows`, each alone, or all of them together.
function allHidden(rows, chosen) {
  const alone = chosen.filter(([, , isShown]) => !rows.some(isShown));
  const why = alone.length ? alone : chosen;
  const said = `${rows.length === 1 ? 'The row is' : `All ${rows.length} rows are`} hidden, because of: ${why.map(([, text]) => text).join(', ')}.`;
  const told = undoing(said, why.map(([name]) => name));
  told.className = 'hidden-rows';
  return told;
}

// Shows the page as the state has it.
function show() {
  if (logs) showChoice();
  filter();
  fit();
  rove();
  for (const own of document.querySelectorAll('.bar [data-again]')) own.dispatchEvent(new Event('again'));
}

// A control that is put right whenever the state changes.
function control(own, refresh, change) {
  own.setAttribute('data-again', '');
  own.addEventListener('again', refresh);
  own.addEventListener(own.type === 'range' ? 'input' : 'change', () => { change(); show(); });
  refresh();
  return own;
}

function checkbox(text, isOn, change) {
  const box = made('input', { type: 'checkbox' });
  control(box, () => { box.checked = isOn(); }, () => change(box.checked));
  return made('label', {}, box, ` ${text}`);
}

const flag = (name, text) => checkbox(text, () => state.has(name), isOn => choose(name, isOn ? '1' : ''));

function baselineControl() {
  const select = made('select', {}, ...logs.targets.map(label => made('option', { value: label }, label)));
  control(select, () => { select.value = logs.targets[choice().base]; },
    () => choose('base', select.selectedIndex ? select.value : ''));
  return made('label', {}, 'Baseline ', select);
}

// A list called `text`, of values with their texts, for what the state has as `name`; the first stands for nothing.
function listControl(text, name, options, chosen, change = value => choose(name, value)) {
  const select = made('select', {}, ...options.map(([value, text]) => made('option', { value }, text)));
  control(select, () => { select.value = chosen() ?? ''; }, () => change(select.value));
  return made('label', {}, `${text} `, select);
}

// By which figure of the samples candidates are compared.
const metricControl = () => listControl('Metric', 'metric',
  [['', 'as ranked'], ...metrics.map(({ name, title }) => [name, `${title} (${name})`])], () => metric()?.name);

// For which workload: its groups take the place of those of the report, with its weights.
const profileControl = () => listControl('Profile', 'profile',
  [['', 'equal weights'], ...profiles.map(({ name, covered }) => [name, `${name} (${Math.round(100 * covered)} % measured)`])],
  () => profile()?.name, value => { ['off', 'weights'].forEach(name => state.delete(name)); choose('profile', value); });

const cacheControl = () => listControl('Cache', 'cache', [['', 'all'], ...states.map(own => [own, own])], () => choice().cache);

// Light or dark whatever the system says; on paper it is light.
function themeControl() {
  const theme = () => ['light', 'dark'].find(own => own === state.get('theme'));
  const own = listControl('Colours', 'theme', [['', 'system'], ['light', 'light'], ['dark', 'dark']], theme);
  const apply = () => { document.documentElement.dataset.theme = theme() ?? ''; };
  own.firstElementChild.addEventListener('again', apply);
  apply();
  return own;
}

// What paper gets: the verdict, the tables in short and the method, or all of the page with its samples.
function printControl() {
  const print = () => ['all'].find(own => own === state.get('print'));
  const own = listControl('Print', 'print', [['', 'in short'], ['all', 'everything']], print);
  const apply = () => { document.documentElement.dataset.print = print() ?? ''; };
  own.firstElementChild.addEventListener('again', apply);
  apply();
  return own;
}

// Boxes of which those that are off are named in the state, or, of process counts, those that are on.
function countControls() {
  const change = (count, isOn) => {
    const { procs } = choice();
    const now = isOn ? counts.filter(own => own === count || procs.includes(own)) : procs.filter(own => own !== count);
    choose('procs', now.length && now.length < counts.length ? now.join() : '');
  };
  const boxes = counts.map(count => checkbox(`${count}`, () => choice().procs.includes(count), isOn => change(count, isOn)));
  return made('fieldset', {}, element('legend', 'Processes'), ...boxes);
}

// Boxes of candidates, those that are off named in the state by their columns; the base is always shown.
function candidateControls() {
  const change = (column, isOn) => {
    const { hidden } = choice();
    choose('without', (isOn ? hidden.filter(own => own !== column) : [...hidden, column].sort((a, b) => a - b)).join());
  };
  const box = (label, column) => {
    const own = checkbox(label, () => !choice().hidden.includes(column), isOn => change(column, isOn));
    const input = own.querySelector('input');
    const refresh = () => { input.disabled = column === choice().base; };
    input.addEventListener('again', refresh);
    refresh();
    return own;
  };
  const boxes = logs.targets.map(box);
  if (boxes.length <= MOST_BESIDE) return made('fieldset', {}, element('legend', 'Candidates'), ...boxes);
  return made('details', { class: 'weights' }, element('summary', 'Candidates'), made('div', {}, ...boxes.map(own => made('div', { class: 'line' }, own))));
}

function weightControl({ key: group, name }) {
  const slider = made('input', { type: 'range', min: 0, max: weighed().most, step: 1, 'aria-label': `Weight of ${name}` });
  const share = element('output');
  const refresh = () => {
    const { groups, off, weightOf } = choice();
    slider.disabled = off.includes(group);
    slider.value = weightOf(group);
    const all = sum(groups.filter(({ key }) => !off.includes(key)).map(({ key }) => weightOf(key)));
    share.textContent = slider.disabled || !all ? '0 %' : `${Math.round(100 * weightOf(group) / all)} %`;
  };
  control(slider, refresh, () => {
    const { groups, weightOf } = choice();
    const now = groups.map(({ key, weight }) => [key, key === group ? +slider.value : weightOf(key), weight]);
    choose('weights', now.filter(([, own, weight]) => own !== weight).map(([key, own]) => `${key}:${own}`).join());
  });
  return [slider, share];
}

function groupControls() {
  const change = (group, isOn) => {
    const { off } = choice();
    choose('off', (isOn ? off.filter(own => own !== group) : [...off, group]).join());
  };
  const line = group => made('div', {},
    checkbox(group.name, () => !choice().off.includes(group.key), isOn => change(group.key, isOn)), ...weightControl(group));
  const lines = made('div', { 'data-again': '' });
  let shown = null;
  // Those of another profile are others.
  const refresh = () => {
    const own = profile()?.name ?? '';
    if (own !== shown) lines.replaceChildren(...weighed().groups.map(line));
    shown = own;
  };
  lines.addEventListener('again', refresh);
  refresh();
  return made('details', { class: 'weights' }, element('summary', 'Groups and weights'), lines);
}

function resetControl() {
  const button = made('button', { type: 'button', 'data-again': '' }, 'Reset');
  const refresh = () => { button.disabled = !isChosen(); };
  button.addEventListener('again', refresh);
  button.addEventListener('click', () => {
    CHOICES.forEach(name => state.delete(name));
    keep();
    show();
  });
  refresh();
  return button;
}

const bar = made('div', { class: 'bar', role: 'group', 'aria-label': 'Controls' });
if (logs) {
  const lists = [[metrics.length, metricControl], [profiles.length, profileControl], [states.length > 1, cacheControl], [counts.length > 1, countControls]];
  const hasIntervals = reported.tables.some(table => table.rows.some(row => row.logs.some(own => known(own).length > 1)));
  bar.append(element('b', 'What if'), baselineControl(), ...lists.filter(([isThere]) => isThere).map(([, own]) => own()),
    ...(logs.targets.length > 2 ? [candidateControls()] : []), groupControls(),
    ...(hasIntervals ? [flag('intervals', 'Intervals')] : []), resetControl());
}
if (judged().length) bar.append(...FILTERS.map(([name, text]) => flag(name, text)));
bar.append(themeControl(), printControl());
document.querySelector('main').before(bar);

// A panel opens under its button, and within the window.
for (const panel of bar.querySelectorAll('details')) {
  panel.addEventListener('toggle', () => {
    const own = panel.querySelector('div');
    own.removeAttribute('style');
    if (!panel.open || getComputedStyle(own).position !== 'absolute') return;
    const [place, button, beneath] = [bar, panel, own].map(its => its.getBoundingClientRect());
    const left = Math.min(button.left, document.documentElement.clientWidth - beneath.width - 8);
    Object.assign(own.style, { right: 'auto', left: `${left - place.left}px`, top: `${button.bottom - place.top}px` });
  });
}

// In a narrow column the head of a map shows `8 proc`; its text stays whole.
function shorten(head) {
  const own = head.querySelector('button') ?? head;
  const [, start, rest] = /^(\d+ proc)(ess(?:es)?)$/.exec(own.textContent) ?? [];
  if (rest) own.replaceChildren(start, made('span', { class: 'rest' }, rest));
}

// A table of many columns that its place holds, made tighter where need be, scrolls with the page, under a head that
// stays; what its place does not hold is stacked.
function fit() {
  const boxes = [...document.querySelectorAll('main .wide')].filter(own => own.checkVisibility());
  const tooWide = box => box.scrollWidth > box.clientWidth + 1;
  boxes.forEach(unstack);
  boxes.forEach(box => box.classList.remove('fits', 'tight'));
  const wide = boxes.filter(tooWide);
  const many = wide.filter(box => box.classList.contains('many'));
  many.forEach(box => box.classList.add('tight'));
  many.forEach(box => box.querySelectorAll('thead th').forEach(shorten));
  const still = new Set(wide.filter(tooWide));
  const heads = boxes.map(box => box.querySelector('thead')?.offsetHeight ?? 0);
  boxes.forEach((box, at) => {
    if (still.has(box)) stack(box);
    else if (box.classList.contains('many')) box.classList.add('fits');
    box.style.setProperty('--head-height', `${heads[at]}px`);
  });
}

show();

// What sticks to the top of a window has its place below the bar.
let width = 0;
function settle() {
  const isSticky = getComputedStyle(bar).position === 'sticky';
  document.documentElement.style.setProperty('--top', `${isSticky ? bar.offsetHeight : 0}px`);
  if (width !== document.documentElement.clientWidth) fit();
  width = document.documentElement.clientWidth;
}
settle();
// What was closed had no width.
let isDue = false;
document.addEventListener('toggle', () => {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => { isDue = false; fit(); });
}, true);
// In the next frame: what changes sizes while they are observed is an error on the console.
new ResizeObserver(() => requestAnimationFrame(settle)).observe(document.body);
