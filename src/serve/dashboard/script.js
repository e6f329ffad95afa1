// SPDX-License-Identifier: Apache-2.0
// Asks the server once a second, keeps what it says, and shows it.
import {longNames, plots as specs} from './catalogue.js';
import {Plot} from './plot.js';
import {duration, units} from './units.js';
import {verdict} from './verdict.js';

const find = (id) => document.getElementById(id);
const pollMilliseconds = 1000;
const patienceMilliseconds = 8000;
const recentRows = 5;

let about = null; // the server's last word, without its rows
let kept = []; // rows: [seconds, value or null…], oldest first
let rows = []; // those that are shown: the same, unless paused
let column = {}; // of a series in a row
let isLost = false;
let isPaused = false;
let looked = null; // seconds that the reader points at
let range = 60;
let hasChosenRange = false;

const plots = specs.map((spec) => new Plot(spec, look));
find('plots').append(...plots.map((plot) => plot.figure));

const sum = (row, ...names) => names.reduce((all, name) => all + (row[column[name]] ?? 0), 0);
const of = (row, name) => row[column[name]];

// Title, value, what stands below, and whether that is a reason to look.
const tiles = [
  ['Answers', (row) => units.rate(sum(row, 'answered_2xx', 'answered_3xx', 'answered_4xx', 'answered_5xx')),
    (row) => `${units.rate(of(row, 'at_once'))} at once`],
  ['Latency P99', (row) => units.seconds(of(row, 'took_p99')), (row) => `P50 ${units.seconds(of(row, 'took_p50'))}`],
  ['Queue delay P99', (row) => units.seconds(of(row, 'wait_p99')),
    (row) => of(row, 'queued') === null ? 'no queue' : `${units.count(of(row, 'queued'))} wait`],
  ['Workers busy', (row) => of(row, 'busy') === null ? '–' : `${units.count(of(row, 'busy'))} of ${units.count(of(row, 'threads'))}`,
    (row) => of(row, 'allowed') === null ? 'no pool' : `${units.count(of(row, 'allowed'))} may run`],
  ['Turned away', (row) => units.rate(sum(row, 'overloaded', 'refused')),
    (row) => `${units.rate(of(row, 'refused'))} connections`, (row) => sum(row, 'overloaded', 'refused') > 0],
  ['Connections', (row) => units.count(of(row, 'connections')), (row) => `${units.rate(of(row, 'accepted'))} new`],
  ['CPUs', (row) => `${units.cpus(of(row, 'cpu_used'))} of ${units.cpus(of(row, 'cpu_budget'))}`,
    (row) => of(row, 'throttled') === null ? 'no quota' : `${units.cpus(of(row, 'throttled'))} held back`,
    (row) => of(row, 'throttled') > 0.02 * of(row, 'cpu_budget')],
  ['Memory', (row) => units.bytes(of(row, 'resident_bytes')),
    () => about.memory_budget ? `of ${units.bytes(about.memory_budget)}` : ''],
].map(([title, value, below, isRaised]) => {
  const tile = document.createElement('div');
  const heading = document.createElement('h2');
  const output = document.createElement('output');
  const small = document.createElement('p');
  tile.className = 'tile';
  heading.textContent = title;
  tile.append(heading, output, small);
  find('tiles').append(tile);
  return (row) => {
    output.textContent = value(row);
    small.textContent = below(row);
    tile.classList.toggle('raised', isRaised?.(row) ?? false);
  };
});

function look(seconds) {
  looked = seconds;
  draw();
}

function setState(state, text) {
  const shown = find('state');
  if (shown.textContent === text) return;
  shown.dataset.state = state;
  shown.textContent = text;
}

function showState() {
  if (isLost) return setState('lost', 'connection lost, retrying');
  if (isPaused) return setState('paused', 'paused');
  setState(about?.state ?? 'connecting', about?.state ?? 'connecting');
}

// A young server has little to show.
function chooseRange() {
  if (hasChosenRange) return;
  range = about.up < 120 ? 60 : 300;
  document.querySelector(`#range input[value="${range}"]`).checked = true;
}

function showAbout() {
  find('policy').textContent = about.policy;
  find('listens').textContent = about.listens.join(', ') || 'nothing';
  find('up').textContent = duration(about.up);
  find('version').textContent = about.version;
  document.title = `${about.listens[0] ?? about.policy} · weft serve`;
}

function showTable(visible) {
  const lines = about.series.filter((name) => longNames[name]).map((name) => {
    const [label, unit] = longNames[name];
    const values = visible.map((row) => of(row, name)).filter((value) => value !== null);
    const mean = values.length === 0 ? null : values.reduce((one, other) => one + other, 0) / values.length;
    const least = values.length === 0 ? null : values.reduce((one, other) => Math.min(one, other));
    const most = values.length === 0 ? null : values.reduce((one, other) => Math.max(one, other));
    const line = document.createElement('tr');
    const heading = document.createElement('th');
    heading.scope = 'row';
    heading.textContent = label;
    line.dataset.series = name;
    line.append(heading);
    for (const value of [of(rows.at(-1), name), least, mean, most]) {
      const cell = document.createElement('td');
      cell.textContent = units[unit](value);
      line.append(cell);
    }
    return line;
  });
  document.querySelector('#values tbody').replaceChildren(...lines);
}

function meanOfLast(name) {
  const values = rows.slice(-recentRows).map((row) => of(row, name)).filter((value) => value !== null);
  return values.length === 0 ? null : values.reduce((one, other) => one + other, 0) / values.length;
}

function draw() {
  if (about === null || rows.length === 0 || document.hidden) return;
  const to = rows.at(-1)[0];
  const visible = rows.filter((row) => row[0] >= to - range);
  const row = looked === null ? visible.at(-1) : visible.reduce((one, other) =>
    Math.abs(other[0] - looked) < Math.abs(one[0] - looked) ? other : one);
  const when = new Date((about.began + row[0]) * 1000).toLocaleTimeString([], {hour12: false});
  const view = {to, range, column, looked: looked === null ? null : row[0], row, when};
  for (const plot of plots) {
    const reason = about.missing[plot.spec.missing];
    if (reason === undefined) plot.draw(visible, view);
    else plot.sayMissing(reason);
    plot.sayNote(plot.spec.note?.(about));
  }
  for (const show of tiles) show(rows.at(-1));
  find('verdict').textContent = verdict(meanOfLast, about.state);
  showTable(visible);
}

function take(answer) {
  const {rows: more, ...rest} = answer;
  // Another life of the server, with numbers of its own.
  if (about !== null && rest.began !== about.began) {
    kept = [];
    about = null;
    return false;
  }
  about = rest;
  column = Object.fromEntries(rest.series.map((name, i) => [name, i + 1]));
  kept = kept.concat(more).slice(-rest.most_rows);
  if (!isPaused) rows = kept;
  return true;
}

async function poll() {
  let pause = pollMilliseconds;
  try {
    const answer = await fetch(`history.json?since=${about?.newest ?? 0}`,
        {cache: 'no-store', signal: AbortSignal.timeout(patienceMilliseconds)});
    if (!answer.ok) throw new Error(answer.statusText);
    if (!take(await answer.json())) pause = 0;
    isLost = false;
  } catch {
    isLost = true;
  }
  showState();
  if (!isPaused && about !== null) {
    showAbout();
    chooseRange();
    draw();
  }
  setTimeout(poll, pause);
}

find('pause').addEventListener('click', () => {
  isPaused = !isPaused;
  find('pause').setAttribute('aria-pressed', String(isPaused));
  find('pause').textContent = isPaused ? 'Resume' : 'Pause';
  showState();
  if (!isPaused) rows = kept;
  draw();
});
find('range').addEventListener('change', (event) => {
  range = Number(event.target.value);
  hasChosenRange = true;
  draw();
});
document.addEventListener('pointerdown', (event) => {
  if (!event.target.closest('.plot')) look(null);
});
document.addEventListener('visibilitychange', draw);
new ResizeObserver(draw).observe(find('plots'));
poll();
