// The bar of controls: what if, and which rows are shown. It is here only where the script runs.

const FILTERS = [
  ['decided', 'Only decided rows', row => !!row.querySelector('.b1,.b2,.b3,.w1,.w2,.w3,.s')],
  ['quiet', 'Hide noisy rows', row => !/noisy/.test(row.textContent)],
];
const judged = () => [...document.querySelectorAll('main table')]
  .filter(table => !table.closest('details') && table.querySelector('tbody .n b'));

function filter() {
  const chosen = FILTERS.filter(([name]) => state.has(name));
  for (const row of judged().flatMap(bodyRows)) row.hidden = !chosen.every(([, , isShown]) => isShown(row));
}

// Shows the page as the state has it.
function show() {
  if (logs) showChoice();
  filter();
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

// By which figure of the samples candidates are compared.
function metricControl() {
  const option = (value, text) => made('option', { value }, text);
  const select = made('select', {}, option('', 'as ranked'), ...metrics.map(({ name }) => option(name, name)));
  control(select, () => { select.value = metric()?.name ?? ''; }, () => choose('metric', select.value));
  return made('label', {}, 'Metric ', select);
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

function weightControl([group, title]) {
  const slider = made('input', { type: 'range', min: 0, max: 10, step: 1, 'aria-label': `Weight of ${title}` });
  const share = element('output');
  const refresh = () => {
    const { off, weightOf } = choice();
    slider.disabled = off.includes(group);
    slider.value = weightOf(group);
    const all = sum(groups.filter(([own]) => !off.includes(own)).map(([own]) => weightOf(own)));
    share.textContent = slider.disabled || !all ? '0 %' : `${Math.round(100 * weightOf(group) / all)} %`;
  };
  control(slider, refresh, () => {
    const { weightOf } = choice();
    const weights = groups.map(([own]) => [own, own === group ? +slider.value : weightOf(own)]);
    choose('weights', weights.filter(([, weight]) => weight !== HALF).map(pair => pair.join(':')).join());
  });
  return [slider, share];
}

function groupControls() {
  const change = (group, isOn) => {
    const { off } = choice();
    choose('off', (isOn ? off.filter(own => own !== group) : [...off, group]).join());
  };
  const line = ([group, title]) => made('div', {},
    checkbox(title, () => !choice().off.includes(group), isOn => change(group, isOn)), ...weightControl([group, title]));
  return made('details', { class: 'weights' }, element('summary', 'Groups and weights'), made('div', {}, ...groups.map(line)));
}

function resetControl() {
  const button = made('button', { type: 'button', 'data-again': '' }, 'As reported');
  const refresh = () => { button.disabled = !isChosen(); };
  button.addEventListener('again', refresh);
  button.addEventListener('click', () => {
    ['base', 'metric', 'procs', 'off', 'weights'].forEach(name => state.delete(name));
    keep();
    show();
  });
  refresh();
  return button;
}

const bar = made('div', { class: 'bar', role: 'group', 'aria-label': 'Controls' });
if (logs) {
  bar.append(baselineControl(), ...(metrics.length ? [metricControl()] : []), ...(counts.length > 1 ? [countControls()] : []), groupControls(),
    flag('intervals', 'Intervals'), resetControl());
}
if (judged().length) bar.append(...FILTERS.map(([name, text]) => flag(name, text)));
if (bar.children.length) document.querySelector('main').before(bar);
show();

// What sticks to the top of a window has its place below the bar.
new ResizeObserver(() => {
  const isSticky = getComputedStyle(bar).position === 'sticky';
  document.documentElement.style.setProperty('--top', `${isSticky ? bar.offsetHeight : 0}px`);
}).observe(document.body);
