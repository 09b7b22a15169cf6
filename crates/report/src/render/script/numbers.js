// Figures as the rest of the page prints them (number.rs).

const digits = (size, significant) => Math.max(0, significant - 1 - Math.floor(Math.log10(size)));

function figure(value) {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 99.95) return value.toFixed(0);
  return size < 1e-6 ? value.toExponential(2) : value.toFixed(digits(size, 3));
}

const ratioText = ratio => ratio >= 0.0995 && ratio < 9.995 ? ratio.toFixed(2) : figure(ratio);

// An end of an interval: with more decimals where two would say that it is 1, on which the verdict depends.
function endText(ratio) {
  const text = ratioText(ratio);
  const digits = text === '1.00' && [3, 4, 5].find(count => ratio.toFixed(count) !== (1).toFixed(count));
  return digits ? ratio.toFixed(digits) : text;
}

function intervalText({ low, high }, wide) {
  if (low === undefined) return '';
  return high > 1e4 * low ? wide : `${endText(low)}-${endText(high)}`;
}

// Step of shade from -3, worse, to 3, better (block.rs).
function shade(ratio) {
  const better = [1.05, 1.25, 2].filter(edge => ratio >= edge).length;
  return better - [0.95, 0.8, 0.5].filter(edge => ratio <= edge).length;
}

const processesText = count => `${count} ${count === 1 ? 'process' : 'processes'}`;
