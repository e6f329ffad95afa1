// SPDX-License-Identifier: Apache-2.0
// Families of gRPC, admission, the pool, the database and the context.
#include "service/numbers.h"

#include <weft/context.h>

#include <array>
#include <string>

#include "pool/metrics.h"
#include "sql/pool_metrics.h"

namespace weft::service {
namespace {

using serve::label_value;
using serve::PrometheusText;

constexpr std::array code_names = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

std::string label(const char* name, std::string_view value) {
  return std::string(name) + "=" + label_value(value);
}

void write_grpc(PrometheusText& text, const grpc::Server& server) {
  const grpc::ServerCounters counters = server.counters();
  text.describe("weft_grpc_calls_total", "counter", "Calls that are over, by method and code.");
  for (const auto& [method, codes] : counters.finished_by_method) {
    for (const auto& [code, number] : codes) {
      const char* const name = code_names.at(static_cast<std::size_t>(code));
      text.sample("weft_grpc_calls_total",
                  "{" + label("method", method) + "," + label("code", name) + "}", number);
    }
  }
  text.gauge("weft_grpc_calls_in_flight", "Calls that have come, and are not over.",
             counters.in_flight);
  text.describe("weft_grpc_refused_total", "counter", "Calls that were refused, by reason.");
  for (const auto& [reason, number] : counters.refused) {
    text.sample("weft_grpc_refused_total", "{" + label("reason", reason) + "}", number);
  }
  text.counter("weft_grpc_handlers_failed_total", "Handlers that threw.", counters.thrown);
  text.gauge("weft_grpc_workers", "Threads with a completion queue.", counters.workers);
  text.gauge("weft_grpc_armed", "Requests that gRPC may match with calls.", counters.armed);
  text.histogram("weft_grpc_call_seconds",
                 "From a call's coming to its answer, of all that were not refused.",
                 server.durations());
}

void write_budget(PrometheusText& text, const budget::Watch& watch) {
  const budget::Watch::Counters counters = watch.counters();
  text.counter("weft_budget_looks_total", "Looks at the limits, to see whether they have changed.",
               counters.refreshes);
  text.counter("weft_budget_changes_total", "Changes of the limits.", counters.changes);
}

void write_admission(PrometheusText& text, const AdmissionControl& admission) {
  const AdmissionCounters counters = admission.counters();
  text.describe("weft_admission_state", "gauge", "1 for the state it is in.");
  for (const auto state :
       {AdmissionState::open, AdmissionState::shedding, AdmissionState::closed}) {
    text.sample("weft_admission_state", "{" + label("state", to_string(state)) + "}",
                state == counters.state ? 1 : 0);
  }
  text.counter("weft_admission_state_changes_total", "Changes of the state.",
               counters.state_changes);
  text.gauge("weft_admission_cpus", "CPUs that the admission counts with.", counters.cpus);
  text.gauge("weft_admission_waiting", "Requests let in that have not begun.", counters.waiting);
  text.gauge("weft_admission_in_flight", "Requests let in that are not over.", counters.in_flight);
  text.gauge("weft_admission_may_wait", "How many may wait; 0: any number.", counters.may_wait);
  text.describe("weft_admission_refused_share", "gauge",
                "Share that is refused whatever waits, by priority.");
  text.sample("weft_admission_refused_share", "{priority=\"normal\"}", counters.normal_share);
  text.sample("weft_admission_refused_share", "{priority=\"low\"}", counters.low_share);
  constexpr std::array priorities = {Priority::critical, Priority::normal, Priority::low};
  text.describe("weft_admission_admitted_total", "counter", "Requests let in, by priority.");
  for (const Priority priority : priorities) {
    text.sample("weft_admission_admitted_total", "{" + label("priority", to_string(priority)) + "}",
                counters.admitted[static_cast<std::size_t>(priority)]);
  }
  text.describe("weft_admission_refused_total", "counter",
                "Requests that were refused, by priority and reason.");
  for (const Priority priority : priorities) {
    for (std::size_t why = 1; why < refusal_count; ++why) {
      text.sample("weft_admission_refused_total",
                  "{" + label("priority", to_string(priority)) + "," +
                      label("reason", to_string(static_cast<Refusal>(why))) + "}",
                  counters.refused[static_cast<std::size_t>(priority)][why]);
    }
  }
}

void write_pool(PrometheusText& text, const Pool& pool) {
  const PoolCounters counters = pool.counters();
  text.gauge("weft_blocking_pool_threads", "Threads for what blocks.", counters.threads);
  text.gauge("weft_blocking_pool_busy", "Those that run a job.", counters.busy);
  text.gauge("weft_blocking_pool_allowed", "Jobs that may run at once.", counters.allowed);
  text.gauge("weft_blocking_pool_cpus", "CPUs that the pool counts with.", counters.cpus);
  text.gauge("weft_blocking_pool_queued", "Jobs that wait for a thread.", counters.queued);
  text.counter("weft_blocking_pool_jobs_total", "Jobs that were run.", counters.done);
  text.counter("weft_blocking_pool_refused_total", "Jobs there was no room for.", counters.refused);
  text.histogram("weft_blocking_pool_wait_seconds", "From accepted by the pool to started.",
                 pool.metrics().waited.snapshot());
}

void write_database(PrometheusText& text, const sql::ConnectionPool& database) {
  const sql::ConnectionPoolCounters counters = database.counters();
  text.gauge("weft_database_limit", "Connections there may be.", counters.limit);
  text.gauge("weft_database_open", "Connections there are.", counters.open);
  text.gauge("weft_database_leased", "Connections that are in use.", counters.leased);
  text.gauge("weft_database_opening", "Connections that are being opened.", counters.opening);
  text.gauge("weft_database_waiting", "Who waits for a connection.", counters.waiting);
  text.counter("weft_database_leases_total", "Leases given.", counters.leases);
  text.counter("weft_database_waits_total", "Leases that were not to be had at once.",
               counters.waits);
  text.counter("weft_database_waits_cancelled_total", "Those that gave up.",
               counters.waits_cancelled);
  text.counter("weft_database_refused_total", "Leases refused because the database is down.",
               counters.refused);
  text.counter("weft_database_opened_total", "Connections opened.", counters.opened);
  text.counter("weft_database_open_failures_total", "Connections that could not be opened.",
               counters.open_failures);
  text.counter("weft_database_discarded_total", "Connections closed: broken, stale or too many.",
               counters.discarded);
  text.counter("weft_database_statements_total", "Statements.", counters.statements.statements);
  text.counter("weft_database_statement_failures_total", "Statements that failed.",
               counters.statements.failures);
  text.counter("weft_database_statement_cancels_total", "Statements that were cancelled.",
               counters.statements.cancels);
  text.histogram("weft_database_lease_wait_seconds", "How long leases were waited for.",
                 database.metrics().waited.snapshot());
}

void write_context(PrometheusText& text) {
  const GuardMisuses misuses = guard_misuses();
  text.describe("weft_context_guard_misuses_total", "counter",
                "Guards of ambient values that went where they should not.");
  text.sample("weft_context_guard_misuses_total", "{kind=\"on_another_strand\"}",
              misuses.on_another_strand);
  text.sample("weft_context_guard_misuses_total", "{kind=\"out_of_order\"}", misuses.out_of_order);
}

}  // namespace

void Numbers::write(serve::PrometheusText& text) const {
  const std::scoped_lock guard(mutex_);
  write_budget(text, budget_);
  write_admission(text, admission_);
  if (grpc_ != nullptr) write_grpc(text, *grpc_);
  if (pool_ != nullptr) write_pool(text, *pool_);
  if (database_ != nullptr) write_database(text, *database_);
  write_context(text);
}

}  // namespace weft::service
