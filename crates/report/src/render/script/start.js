'use strict';
// What all files of the script share: they are one text, in the order in which render/script.rs has them. The page is
// whole without it. What is chosen stands in the address behind #, so that a link shows the same.

// Where it runs, it stacks what is too wide; else the style does.
document.documentElement.dataset.script = '';

const state = new URLSearchParams(location.hash.includes('=') ? location.hash.slice(1) : '');
const keep = () => history.replaceState(null, '', `#${state}`);

// Sets `name` of the state, or removes it where there is no value.
function choose(name, value) {
  if (value) state.set(name, value); else state.delete(name);
  keep();
}

const element = (name, text = '') => Object.assign(document.createElement(name), { textContent: text });

// An element with attributes and children; texts are text.
function made(name, attributes, ...children) {
  const made = element(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter(child => child !== null));
  return made;
}

// The data that the page carries, `null` where it was left out.
function carried(id) {
  const text = document.getElementById(id)?.textContent;
  return text ? JSON.parse(text) : null;
}

// A sentence with a button for each of `names` of the state that takes that back.
function undoing(text, names) {
  const undo = name => {
    const button = made('button', { type: 'button' }, `Undo ${NAMES[name] ?? FILTERS.find(([own]) => own === name)[1]}`);
    button.addEventListener('click', () => { choose(name, ''); show(); });
    return [' ', button];
  };
  return made('p', { class: 'nothing' }, text, ...names.flatMap(undo));
}
