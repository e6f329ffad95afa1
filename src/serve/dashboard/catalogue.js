// SPDX-License-Identifier: Apache-2.0
// What is shown: the plots with their lines, and what each series is called.

const scopes = {cgroup: 'the cgroup of this server', system: 'the whole system'};

// series: name of the history, what people call it, colour, form.
// A bound is drawn where it is near: it must not make the rest small.
// missing: the key of the server's word on why there is none. note: what stands below.
export const plots = [
  {
    id: 'workers', title: 'Workers', unit: 'count', whole: true, missing: 'pool',
    series: [
      ['threads', 'threads', 'sky', 'area step'],
      ['allowed', 'may run', 'orange', 'dashed step bound'],
      ['busy', 'busy', 'blue', 'thick'],
    ],
  },
  {
    id: 'latency', title: 'Latency', unit: 'seconds', log: true,
    series: [
      ['took_p50', 'P50', 'sky', ''],
      ['took_p90', 'P90', 'blue', ''],
      ['took_p99', 'P99', 'orange', 'thick'],
      ['took_p999', 'P99.9', 'red', 'dashed'],
    ],
  },
  {
    id: 'requests', title: 'Answers', unit: 'rate', least: 1, stacked: true,
    series: [
      ['answered_2xx', '2xx', 'green', ''],
      ['answered_3xx', '3xx', 'sky', ''],
      ['answered_4xx', '4xx', 'orange', ''],
      ['answered_5xx', '5xx', 'red', ''],
    ],
  },
  {
    id: 'rejects', title: 'Turned away', unit: 'rate', least: 1,
    series: [
      ['overloaded', '503', 'red', 'area'],
      ['shed', 'waited too long', 'orange', 'dashed'],
      ['refused', 'connections', 'purple', ''],
    ],
  },
  {
    id: 'delay', title: 'Queue delay', unit: 'seconds', log: true, missing: 'pool',
    series: [
      ['wait_p50', 'P50', 'sky', ''],
      ['wait_p99', 'P99', 'orange', 'thick'],
    ],
  },
  {
    id: 'depth', title: 'Queue depth', unit: 'count', whole: true, missing: 'pool',
    series: [['queued', 'requests that wait', 'purple', 'area']],
  },
  {
    id: 'cpu', title: 'CPU', unit: 'cpus', note: (about) => about.missing.throttling,
    series: [
      ['cpu_budget', 'budget', 'orange', 'dashed step'],
      ['cpu_used', 'used', 'blue', 'area'],
      ['throttled', 'held back by quota', 'red', ''],
    ],
  },
  {
    id: 'pressure', title: 'Pressure', unit: 'share', least: 0.1, missing: 'pressure',
    note: (about) => `How much of the time something waited, in ${scopes[about.pressure_scope]}.`,
    series: [
      ['pressure_cpu', 'CPU', 'blue', 'thick'],
      ['pressure_memory', 'memory', 'purple', ''],
      ['pressure_io', 'input, output', 'green', 'dashed'],
    ],
  },
  {
    id: 'connections', title: 'Connections', unit: 'count', whole: true,
    series: [['connections', 'open', 'green', 'area']],
  },
  {
    id: 'memory', title: 'Memory', unit: 'bytes',
    series: [['resident_bytes', 'resident', 'purple', 'area']],
  },
  {
    id: 'threads', title: 'Threads of the process', unit: 'count', whole: true,
    series: [['process_threads', 'all', 'blue', 'area step']],
  },
  {
    id: 'opened', title: 'New connections', unit: 'rate', least: 1,
    series: [['accepted', 'accepted', 'green', '']],
  },
];

// What the table calls a series, where the plots' words are too short, or have none.
export const longNames = {
  threads: ['Workers', 'count'],
  allowed: ['Handlers that may run at once', 'count'],
  busy: ['Workers that run a handler', 'count'],
  queued: ['Requests that wait', 'count'],
  wait_p50: ['Queue delay, P50', 'seconds'],
  wait_p99: ['Queue delay, P99', 'seconds'],
  took_p50: ['Latency, P50', 'seconds'],
  took_p90: ['Latency, P90', 'seconds'],
  took_p99: ['Latency, P99', 'seconds'],
  took_p999: ['Latency, P99.9', 'seconds'],
  answered_2xx: ['Answers 2xx', 'rate'],
  answered_3xx: ['Answers 3xx', 'rate'],
  answered_4xx: ['Answers 4xx', 'rate'],
  answered_5xx: ['Answers 5xx', 'rate'],
  at_once: ['Answers that needed no worker', 'rate'],
  failed: ['Handlers that failed', 'rate'],
  overloaded: ['Requests turned away with 503', 'rate'],
  shed: ['Of these, waited too long', 'rate'],
  refused: ['Connections refused', 'rate'],
  connections: ['Connections', 'count'],
  accepted: ['New connections', 'rate'],
  cpu_used: ['CPUs used', 'cpus'],
  cpu_budget: ['CPU budget', 'cpus'],
  resident_bytes: ['Memory, resident', 'bytes'],
  process_threads: ['Threads of the process', 'count'],
  throttled: ['CPUs held back by a quota', 'cpus'],
  pressure_cpu: ['Pressure, CPU', 'share'],
  pressure_memory: ['Pressure, memory', 'share'],
  pressure_io: ['Pressure, input and output', 'share'],
};
