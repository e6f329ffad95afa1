// SPDX-License-Identifier: Apache-2.0
// What Prometheus reads of a server, its pool, its process and its machine.
#include "serve/admin_metrics.h"

#include "pool/metrics.h"
#include "serve/prometheus_text.h"

namespace weft::serve {
namespace {

void write_log(PrometheusText& text, const AccessLog& log) {
  text.counter("weft_access_log_lines_total", "Lines the access log has written.", log.written());
  text.counter("weft_access_log_dropped_total", "Lines it had no room for.", log.dropped());
}

void write_server(PrometheusText& text, const Totals& totals) {
  text.counter("weft_connections_total", "Connections accepted.", totals.accepted);
  text.gauge("weft_connections", "Connections now.", totals.open);
  text.counter("weft_connections_refused_total", "Connections beyond a limit.", totals.refused);
  text.describe("weft_responses_total", "counter", "Responses, by kind of status.");
  constexpr std::string_view kinds[] = {"{code=\"2xx\"}", "{code=\"3xx\"}", "{code=\"4xx\"}",
                                        "{code=\"5xx\"}"};
  for (std::size_t i = 0; i < std::size(kinds); ++i) {
    text.sample("weft_responses_total", kinds[i], totals.responses_by_kind[i + 2]);
  }
  text.counter("weft_responses_at_once_total", "Responses that needed no worker.", totals.at_once);
  text.counter("weft_overloaded_total", "Requests answered 503 for want of room.",
               totals.overloaded);
  text.counter("weft_handlers_failed_total", "Handlers that threw.", totals.failed);
  text.histogram("weft_request_seconds",
                 "From the whole request to its response, of all that were not turned away.",
                 totals.took);
}

void write_pool(PrometheusText& text, const PoolCounters& counters, const pool::Metrics& metrics) {
  text.gauge("weft_pool_threads", "Threads of the pool.", counters.threads);
  text.gauge("weft_pool_busy", "Threads that run a handler.", counters.busy);
  text.gauge("weft_pool_allowed", "Handlers that may run at once.", counters.allowed);
  text.gauge("weft_pool_cpus", "CPUs that the pool counts with.", counters.cpus);
  text.gauge("weft_pool_queued", "Requests that wait for a thread.", counters.queued);
  text.counter("weft_pool_grown_total", "Threads started after the first.", counters.grown);
  text.counter("weft_pool_retired_total", "Threads that were ended.", counters.retired);
  text.counter("weft_pool_held_total", "Looks that held requests back, for the quota to last.",
               counters.held);
  text.counter("weft_pool_shed_total", "Requests that waited too long.", counters.shed);
  text.histogram("weft_request_wait_seconds", "From accepted by the pool to started.",
                 metrics.waited.snapshot());
  text.histogram("weft_request_handle_seconds", "From started to answered.",
                 metrics.handled.snapshot());
}

void write_stall(PrometheusText& text, std::string_view resource,
                 const MachineNumbers::Stalled& stalled) {
  if (!stalled.seconds) return;
  text.sample("weft_pressure_stalled_seconds_total",
              "{resource=" + label_value(resource) +
                  ",scope=" + label_value(budget::to_string(stalled.scope)) + "}",
              *stalled.seconds);
}

void write_machine(PrometheusText& text, const MachineNumbers& machine) {
  text.gauge("weft_cpu_budget", "CPUs that the process may use.", machine.cpu_budget);
  if (machine.memory_budget != 0) {
    text.gauge("weft_memory_budget_bytes", "Memory that the process may use.",
               machine.memory_budget);
  }
  if (machine.throttled_seconds) {
    text.counter("weft_cpu_throttled_seconds_total", "CPU time that quotas held back.",
                 *machine.throttled_seconds);
    text.counter("weft_cpu_throttled_periods_total", "Periods in which a quota was used up.",
                 *machine.throttled_periods);
  }
  if (machine.cpu.seconds || machine.memory.seconds || machine.io.seconds) {
    text.describe("weft_pressure_stalled_seconds_total", "counter",
                  "Time in which some task waited for the resource.");
    write_stall(text, "cpu", machine.cpu);
    write_stall(text, "memory", machine.memory);
    write_stall(text, "io", machine.io);
  }
}

void write_process(PrometheusText& text, const About& about, const MachineNumbers& machine,
                   const Descriptors& descriptors) {
  text.counter("process_cpu_seconds_total", "CPU time, of user and system.", machine.cpu_seconds);
  text.gauge("process_resident_memory_bytes", "Memory that is in use.", machine.resident_bytes);
  text.gauge("process_threads", "Threads of the process.", machine.threads);
  text.gauge("process_open_fds", "Open descriptors.", descriptors.open);
  text.gauge("process_max_fds", "Descriptors that may be open.", descriptors.most);
  text.gauge("process_start_time_seconds", "When the server began, since 1970.",
             std::chrono::duration<double>(about.began.time_since_epoch()).count());
}

}  // namespace

std::string metrics_text(const About& about, const RunningServer& server, const Look& look,
                         const Descriptors& descriptors) {
  PrometheusText text;
  text.describe("weft_build_info", "gauge", "Always 1; the labels say what runs.");
  text.sample(
      "weft_build_info",
      "{version=" + label_value(about.version) + ",policy=" + label_value(about.policy) + "}", 1);
  write_server(text, look.totals);
  if (server.log() != nullptr) write_log(text, *server.log());
  if (look.pool) write_pool(text, look.pool->counters, server.workers()->metrics());
  write_machine(text, look.machine);
  write_process(text, about, look.machine, descriptors);
  return text.take();
}

}  // namespace weft::serve
