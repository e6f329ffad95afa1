// SPDX-License-Identifier: Apache-2.0
// Numbers: what /metrics tells of a service, besides its HTTP server, process and machine.
#pragma once

#include <weft/admission_control.h>
#include <weft/budget_watch.h>
#include <weft/grpc_server.h>
#include <weft/pool.h>
#include <weft/sql_pool.h>

#include <mutex>

#include "serve/prometheus_text.h"

namespace weft::service {

class Numbers {
 public:
  Numbers(const AdmissionControl& admission, const budget::Watch& budget)
      : admission_(admission), budget_(budget) {}

  // From now on; nullptr: no more. When it returns, nobody looks at the one before.
  void watch(const grpc::Server* server) { set(grpc_, server); }
  void watch(const Pool* pool) { set(pool_, pool); }
  void watch(const sql::ConnectionPool* database) { set(database_, database); }

  // For any thread.
  void write(serve::PrometheusText& text) const;

 private:
  template <class Part>
  void set(const Part*& place, const Part* part) {
    const std::scoped_lock guard(mutex_);
    place = part;
  }

  const AdmissionControl& admission_;
  const budget::Watch& budget_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  const grpc::Server* grpc_ = nullptr;
  const Pool* pool_ = nullptr;
  const sql::ConnectionPool* database_ = nullptr;
};

}  // namespace weft::service
