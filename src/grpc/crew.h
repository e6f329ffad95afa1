// SPDX-License-Identifier: Apache-2.0
// Crew: the workers' threads: those that serve, those that leave, and those that are not there.
//
//   absent   --resize() up-->     serving
//   serving  --resize() down-->   leaving    it arms nothing more, and its connections drain
//   leaving  --resize() up-->     serving    whether its thread is still there or not
//   leaving  --all is answered--> absent
//   any      --close()-->         closed
#pragma once

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "grpc/worker.h"

namespace weft::grpc {

class Crew {
 public:
  explicit Crew(std::vector<std::unique_ptr<Worker>> workers);
  // Precondition: closed, or never resized.
  ~Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // 1 at least, and no more than there are workers. Does nothing when it is closed.
  void resize(std::uint32_t serving);
  std::uint32_t size() const;
  // Cancels all calls, on their threads.
  void cancel_all(CancelReason reason);
  // Of weft's transport: to the worker with the fewest connections.
  void give(net::Accepted accepted);
  // The same: no worker accepts connections any more, and those that are there drain.
  void drain();
  // The same: ends all connections.
  void cut();
  // Whether no worker has a call, or a request armed.
  bool is_idle() const noexcept;
  // Ends all threads, when gRPC has no more for them.
  void close();

  const std::vector<std::unique_ptr<Worker>>& workers() const noexcept { return workers_; }

 private:
  struct Place {
    std::thread thread;
    bool serves = false;  // is wanted
    bool runs = false;    // the thread has not left
  };
  void begin(std::size_t index);
  void share_out();
  void run(std::size_t index);
  template <class Function>
  void tell(std::size_t index, Function function);

  const std::vector<std::unique_ptr<Worker>> workers_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<Place> places_;
  std::uint32_t serving_ = 0;
  bool is_closed_ = false;
};

}  // namespace weft::grpc
