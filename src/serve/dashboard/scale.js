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

// Whole decades, or, where there is but one, its 1, 2 and 5.
export function logScale(least, most) {
  const bottom = Math.floor(Math.log10(least) + 1e-9);
  const top = Math.max(Math.ceil(Math.log10(most) - 1e-9), bottom + 1);
  const decades = Array.from({length: top - bottom + 1}, (_, i) => 10 ** (bottom + i));
  const every = Math.ceil(decades.length / 6);
  const ticks = decades.length > 2 ? decades.filter((_, i) => i % every === 0) :
      [1, 2, 5, 10].map((digit) => digit * decades[0]);
  return {ticks, place: (value) => (Math.log10(value) - bottom) / (top - bottom)};
}

// Where a time axis of so many seconds has its marks, in seconds before its end.
export function timeTicks(seconds) {
  const step = {60: 15, 300: 60, 600: 120}[seconds] ?? seconds / 5;
  return Array.from({length: Math.floor(seconds / step) + 1}, (_, i) => i * step);
}
