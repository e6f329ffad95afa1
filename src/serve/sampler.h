// SPDX-License-Identifier: Apache-2.0
// Sampler: a thread that looks at a server once a second, and keeps its last ten minutes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "serve/history.h"
#include "serve/machine.h"
#include "serve/running_server.h"

namespace weft::serve {

// Waits for nothing that a handler holds.
Look look_at(const RunningServer& server, Machine& machine);

class Sampler {
 public:
  static constexpr std::chrono::milliseconds usual_period{1000};
  static constexpr std::size_t most_rows = 600;

  // Both outlive it.
  Sampler(const RunningServer& server, Machine& machine,
          std::chrono::milliseconds period = usual_period);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // Calls with the history as it is, while nobody adds to it.
  template <class Call>
  void read(Call call) const {
    const std::scoped_lock guard(lock_);
    call(history_);
  }

 private:
  void run();

  const RunningServer& server_;
  Machine& machine_;
  const std::chrono::milliseconds period_;
  mutable std::mutex lock_;
  std::condition_variable ends_;
  bool ending_ = false;         // guarded by lock_
  History history_{most_rows};  // guarded by lock_
  std::thread thread_;
};

}  // namespace weft::serve
