// SPDX-License-Identifier: Apache-2.0
// One plot: lines over time in SVG, a legend with the values, and a cross at the time looked at.
import {linearScale, logScale, timeTicks} from './scale.js';
import {units} from './units.js';

const margin = {left: 52, right: 10, top: 8, bottom: 20};

function element(name, attributes = {}, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// A line through points [x, y]; one without y breaks it, and one alone is a dot.
function linePath(points, isStep) {
  let path = '';
  let isDrawing = false;
  for (const [x, y] of points) {
    if (y === null) {
      isDrawing = false;
    } else {
      const to = isStep ? `H${x}V${y}` : `L${x} ${y}`;
      path += isDrawing ? to : `M${x} ${y}h0`;
      isDrawing = true;
    }
  }
  return path;
}

// Between a line and the one below it.
function areaPath(points, below, isStep) {
  const there = points.map((point, i) => [point, below[i]]).filter(([[, y]]) => y !== null);
  if (there.length === 0) return '';
  const back = there.map(([, point]) => `L${point[0]} ${point[1]}`).reverse().join('');
  return `${linePath(there.map(([point]) => point), isStep)}${back}Z`;
}

export class Plot {
  // look(seconds or null): the reader points at a time.
  constructor(spec, look) {
    this.spec = spec;
    this.write = units[spec.unit];
    this.figure = document.createElement('figure');
    this.figure.id = `plot-${spec.id}`;
    const caption = document.createElement('figcaption');
    const title = document.createElement('h2');
    title.textContent = spec.title;
    caption.append(title);
    this.values = spec.series.map(([name, label, colour, form]) => {
      const key = document.createElement('span');
      key.className = 'key';
      const sign = element('svg', {width: 16, height: 8, 'aria-hidden': 'true', class: colour});
      sign.append(element('path', {d: 'M1 4h14', class: `line ${form} thick`}));
      const value = document.createElement('b');
      value.dataset.series = name;
      key.append(sign, ` ${label} `, value);
      caption.append(key);
      return value;
    });
    this.svg = element('svg', {class: 'plot', tabindex: 0, role: 'img'});
    this.note = document.createElement('p');
    this.note.className = 'note';
    this.note.hidden = true;
    this.figure.append(caption, this.svg, this.note);
    this.listen(look);
  }

  listen(look) {
    const point = (event) => {
      const box = this.svg.getBoundingClientRect();
      const share = (event.clientX - box.left - margin.left) /
          (box.width - margin.left - margin.right);
      look(this.view.to - (1 - Math.min(Math.max(share, 0), 1)) * this.view.range);
    };
    this.svg.addEventListener('pointermove', point);
    this.svg.addEventListener('pointerdown', point);
    // A finger that is lifted still wants to read.
    this.svg.addEventListener('pointerleave', (event) => {
      if (event.pointerType === 'mouse') look(null);
    });
    this.svg.addEventListener('blur', () => look(null));
    this.svg.addEventListener('keydown', (event) => {
      const steps = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10}[event.key];
      if (event.key === 'Escape') look(null);
      if (steps === undefined) return;
      event.preventDefault();
      look(Math.min((this.view.looked ?? this.view.to) + steps, this.view.to));
    });
  }

  // Says why there is nothing to draw.
  sayMissing(reason) {
    if (this.reason === reason) return;
    this.reason = reason;
    const words = document.createElement('p');
    words.className = 'missing';
    words.textContent = reason;
    this.figure.replaceChildren(this.figure.firstChild, words);
    for (const key of this.figure.querySelectorAll('.key')) key.hidden = true;
  }

  sayNote(text) {
    this.note.textContent = text ?? '';
    this.note.hidden = !text;
  }

  // rows: within the view. view: {to, range, column, looked, row}: row is the one looked at.
  draw(rows, view) {
    this.view = view;
    const {series} = this.spec;
    series.forEach(([name], i) => {
      this.values[i].textContent = this.write(view.row?.[view.column[name]]);
    });
    this.svg.setAttribute('aria-label', `${this.spec.title}: ${series.map(
        ([, label], i) => `${label} ${this.values[i].textContent}`).join(', ')}`);
    const {width, height} = this.svg.getBoundingClientRect();
    if (width === 0) return;
    this.width = width - margin.left - margin.right;
    this.height = height - margin.top - margin.bottom;
    const values = series.map(([name]) => rows.map((row) => row[view.column[name]]));
    const lines = this.stack(values);
    const scale = this.scaleFor(lines.filter((_, i) => !series[i][3].includes('bound')).flat()
        .filter((value) => value !== null));
    const x = (t) => +(margin.left + (1 - (view.to - t) / view.range) * this.width).toFixed(1);
    const y = (value) => value === null || (this.spec.log && value <= 0) || scale.place(value) > 1 ?
        null : +(margin.top + (1 - scale.place(value)) * this.height).toFixed(1);
    const parts = this.axes(scale);
    const drawn = lines.map((line) => line.map((value, i) => [x(rows[i][0]), y(value)]));
    const floor = rows.map((row) => [x(row[0]), margin.top + this.height]);
    series.forEach(([, , colour, form], i) => {
      const isStep = form.includes('step');
      if (form.includes('area') || this.spec.stacked) {
        const below = this.spec.stacked && i > 0 ? drawn[i - 1] : floor;
        parts.push(element('path', {d: areaPath(drawn[i], below, isStep),
          class: `fill ${colour} ${this.spec.stacked ? 'stacked' : ''}`}));
      }
      // What adds nothing to a stack would hide the edge of what does.
      const line = drawn[i].map(([at, place], j) => [at, this.spec.stacked && !values[i][j] ? null : place]);
      parts.push(element('path', {d: linePath(line, isStep), class: `line ${colour} ${form}`}));
    });
    if (view.looked !== null && view.row) parts.push(...this.cross(rows, drawn, x));
    this.svg.replaceChildren(...parts);
  }

  // Each line on those before it, where they are to be stacked.
  stack(lines) {
    if (!this.spec.stacked) return lines;
    let below = lines[0].map(() => 0);
    return lines.map((line) => (below = line.map((value, i) => (value ?? 0) + below[i])));
  }

  scaleFor(values) {
    const {log, whole, unit, least} = this.spec;
    const most = values.reduce((one, other) => Math.max(one, other), least ?? 0);
    if (!log) return linearScale(most, {whole, binary: unit === 'bytes'});
    const positive = values.filter((value) => value > 0);
    return positive.length === 0 ? logScale(1e-4, 1e-1) :
        logScale(positive.reduce((one, other) => Math.min(one, other)), most);
  }

  axes(scale) {
    const end = margin.left + this.width;
    const parts = scale.ticks.flatMap((tick, i) => {
      const at = Math.round(margin.top + (1 - scale.place(tick)) * this.height) + 0.5;
      return [
        element('path', {d: `M${margin.left} ${at}H${end}`, class: i === 0 ? 'zero' : 'grid'}),
        element('text', {x: margin.left - 6, y: at + 3.5, 'text-anchor': 'end'}, this.write(tick)),
      ];
    });
    for (const before of timeTicks(this.view.range)) {
      const at = margin.left + (1 - before / this.view.range) * this.width;
      const words = before === 0 ? 'now' : before < 60 ? `−${before} s` : `−${before / 60} min`;
      parts.push(element('text', {x: at, y: margin.top + this.height + 15,
        'text-anchor': before === 0 ? 'end' : 'middle'}, words));
    }
    return parts;
  }

  cross(rows, drawn, x) {
    const index = rows.indexOf(this.view.row);
    const at = x(this.view.row[0]);
    const isRight = at > margin.left + this.width / 2;
    const dots = this.spec.series.flatMap(([, , colour], i) => {
      const place = drawn[i][index]?.[1] ?? null;
      return place === null ? [] : [element('circle', {cx: at, cy: place, r: 3.5, class: `dot ${colour}`})];
    });
    return [
      element('path', {d: `M${at} ${margin.top}V${margin.top + this.height}`, class: 'cross'}),
      ...dots,
      element('text', {x: at + (isRight ? -6 : 6), y: margin.top + 9, class: 'when',
        'text-anchor': isRight ? 'end' : 'start'}, this.view.when),
    ];
  }
}
