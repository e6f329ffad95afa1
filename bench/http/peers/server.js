// SPDX-License-Identifier: Apache-2.0
// The handlers of `weft serve --test-handlers` on Node: server.js PORT FOLDER THREADS.
//
// Handlers that block or compute run on a pool of worker_threads, as Node's documentation tells for
// what would hold up the loop; the rest runs on the loop.
'use strict';
const fs = require('fs');
const http = require('http');
const path = require('path');
const { Worker, isMainThread, parentPort } = require('worker_threads');

function turn(count) {
  let x = 1;
  for (let i = 0; i < count; ++i) x = (x * 1103515245 + 12345) & 0x7fffffff;
  return x;
}

// There is no clock for the CPU time of a thread: how many turns a microsecond takes is the best of
// several tries, once in the process, before anybody asks.
function turnsInMicrosecond() {
  const turns = 200000;
  let best = Infinity;
  for (let i = 0; i < 30; ++i) {
    const begin = process.hrtime.bigint();
    turn(turns);
    best = Math.min(best, Number(process.hrtime.bigint() - begin));
  }
  return turns / (best / 1000);
}

function work() {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  parentPort.on('message', (job) => {
    if (job.sleep) Atomics.wait(cell, 0, 0, job.sleep);
    if (job.turns) turn(job.turns);
    parentPort.postMessage(0);
  });
  parentPort.postMessage(0);
}

class Pool {
  constructor(size, ready) {
    this.idle = [];
    this.waiting = [];
    let missing = size;
    for (let i = 0; i < size; ++i) {
      const worker = new Worker(__filename, { stdout: false });
      worker.once('message', () => {
        worker.on('message', () => this.finished(worker));
        this.idle.push(worker);
        if (--missing === 0) ready();
      });
    }
  }
  run(job, done) {
    if (this.idle.length === 0) return this.waiting.push([job, done]);
    const worker = this.idle.pop();
    worker.done = done;
    worker.postMessage(job);
  }
  finished(worker) {
    const done = worker.done;
    const next = this.waiting.shift();
    if (next === undefined) {
      this.idle.push(worker);
    } else {
      worker.done = next[1];
      worker.postMessage(next[0]);
    }
    done();
  }
}

function say(response, text) {
  response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': text.length });
  response.end(text);
}

function serve(port, folder, threads) {
  const turns = turnsInMicrosecond();
  const listen = () => server.listen({ port, host: '127.0.0.1', backlog: 4096 });
  const pool = new Pool(threads, listen);
  const server = http.createServer((request, response) => {
    const [, first, kind, number] = request.url.split('/');
    if (first !== '_') {
      fs.readFile(path.join(folder, path.basename(request.url)), (error, bytes) => {
        response.writeHead(error ? 404 : 200, { 'Content-Type': 'application/octet-stream' });
        response.end(bytes);
      });
    } else if (kind === 'sleep') {
      pool.run({ sleep: Number(number) }, () => say(response, 'slept\n'));
    } else if (kind === 'cpu') {
      pool.run({ turns: Math.round(Number(number) * turns) }, () => say(response, 'computed\n'));
    } else {
      say(response, 'hello\n');
    }
  });
  server.keepAliveTimeout = 60000;
}

if (isMainThread) {
  serve(Number(process.argv[2]), process.argv[3], Number(process.argv[4]));
} else {
  work();
}
