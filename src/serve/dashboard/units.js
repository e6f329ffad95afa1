// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them: three digits, and a unit that fits.

// Three digits, and no more: 0.01, 1.23, 12.3, 123, 1,234.
function digits(value) {
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString('en');
  if (size === 0) return '0';
  const decimals = Math.min(Math.max(2 - Math.floor(Math.log10(size)), 0), 2);
  return String(Number(value.toFixed(decimals)));
}

function scaled(value, steps) {
  const step = steps.find(([least]) => Math.abs(value) >= least * 0.9995) ?? steps.at(-1);
  return `${digits(value / step[0])}${step[1]}`;
}

const written = (write) => (value) => value === null || value === undefined ? '–' : write(value);

// The space is one that does not break.
export const units = {
  count: written(digits),
  rate: written((value) => scaled(value,
      Math.abs(value) < 1e4 ? [[1, '/s']] : [[1e6, '\u00a0M/s'], [1e3, '\u00a0k/s']])),
  seconds: written((value) => value === 0 ? '0\u00a0ms' :
      scaled(value, [[1, '\u00a0s'], [1e-3, '\u00a0ms'], [1e-6, '\u00a0µs'], [1e-9, '\u00a0ns']])),
  bytes: written((value) => scaled(value,
      [[2 ** 40, '\u00a0TiB'], [2 ** 30, '\u00a0GiB'], [2 ** 20, '\u00a0MiB'], [2 ** 10, '\u00a0KiB'], [1, '\u00a0B']])),
  cpus: written(digits),
  share: written((value) => `${digits(value * 100)}\u00a0%`),
};

// 3 d 4 h, 5 h 6 min, 7 min 8 s, 9 s.
export function duration(seconds) {
  const parts = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  const first = parts.findIndex(([size]) => seconds >= size);
  if (first < 0) return '0 s';
  let rest = Math.floor(seconds);
  return parts.slice(first, first + 2).map(([size, name]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return `${count} ${name}`;
  }).join(' ');
}
