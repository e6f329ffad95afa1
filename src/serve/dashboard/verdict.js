// SPDX-License-Identifier: Apache-2.0
// The last seconds in one sentence.
import {units} from './units.js';

const target = 0.005; // what the pool lets a request wait, in the long run

// mean(name): of the last seconds; null where there is none.
export function verdict(mean, state) {
  const answered = ['2xx', '3xx', '4xx', '5xx'].reduce(
      (sum, kind) => sum + (mean(`answered_${kind}`) ?? 0), 0);
  const rate = `${units.rate(answered)} answered, P99 ${units.seconds(mean('took_p99'))}`;
  if (state === 'draining') {
    return `Draining: no new connections; ${units.count(mean('connections'))} are still open.`;
  }
  const isFull = mean('cpu_used') > 0.85 * mean('cpu_budget');
  const isThrottled = mean('throttled') > 0.02 * mean('cpu_budget');
  const why = isThrottled ? 'the CPU quota holds it back' :
      isFull ? 'all CPUs of the budget are in use' :
      mean('busy') !== null && mean('busy') >= mean('threads') * 0.95 ? 'all workers are busy, mostly waiting' :
      mean('pressure_cpu') > 0.5 ? 'others want the CPUs, too' : null;
  const because = why === null ? '' : `: ${why}`;
  if (mean('overloaded') > 0) {
    return `Overloaded${because}. ${units.rate(mean('overloaded'))} turned away with 503; ${rate}.`;
  }
  if (mean('refused') > 0) {
    return `Connections are refused (${units.rate(mean('refused'))}): a limit is reached; ${rate}.`;
  }
  if (mean('wait_p99') > 2 * target) {
    return `Requests wait ${units.seconds(mean('wait_p99'))} (P99) for a worker${because}; ${rate}.`;
  }
  if (isThrottled) return `Throttled: the CPU quota holds it back; ${rate}.`;
  if (answered < 0.05) return 'Idle: nobody asks anything.';
  return `Well: ${rate}.`;
}
