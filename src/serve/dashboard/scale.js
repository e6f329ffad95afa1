// SPDX-License-Identifier: Apache-2.0
// From values to places: axes that begin and end at round numbers.

// The next of 1, 2, 5, 10, … that is not smaller.
function roundUp(value) {
  const decade = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((digit) => digit * decade).find((round) => round >= value * 0.9999);
}

// From zero. binary: steps of bytes.
export function linearScale(most, {whole, binary}) {
  const unit = binary ? 1024 ** Math.max(Math.floor(Math.log2(most || 1) / 10), 0) : 1;
  let step = roundUp(Math.max(most, 1e-9) / unit / 4);
  if (whole) step = Math.max(step, 1);
  const steps = Math.max(Math.ceil(most / unit / step - 1e-9), 1);
  const top = steps * step * unit;
  const ticks = Array.from({length: steps + 1}, (_, i) => i * step * unit);
  return {ticks, place: (value) => value / top};
}

// From one of 1, 2, 5, 10, … to another; marks at all of these, or where they are many, at decades.
export function logScale(least, most) {
  const rounds = [];
  for (let decade = 10 ** Math.floor(Math.log10(least) + 1e-9); decade <= most * 10; decade *= 10) {
    rounds.push(decade, 2 * decade, 5 * decade);
  }
  const first = rounds.findLastIndex((round) => round <= least * 1.0001);
  const last = Math.max(rounds.findIndex((round) => round >= most * 0.9999), first + 1);
  const between = rounds.slice(first, last + 1);
  const decades = between.filter((round) => rounds.indexOf(round) % 3 === 0);
  const every = Math.ceil(decades.length / 6);
  const ticks = between.length <= 6 ? between : decades.filter((_, i) => i % every === 0);
  const bottom = Math.log10(between[0]);
  const height = Math.log10(between.at(-1)) - bottom;
  return {ticks, place: (value) => (Math.log10(value) - bottom) / height};
}

// Where a time axis of so many seconds has its marks, in seconds before its end; none at its begin.
export function timeTicks(seconds) {
  const step = {60: 15, 300: 60, 600: 120}[seconds] ?? seconds / 5;
  return Array.from({length: Math.ceil(seconds / step)}, (_, i) => i * step);
}
