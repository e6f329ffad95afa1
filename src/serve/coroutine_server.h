// SPDX-License-Identifier: Apache-2.0
// Coroutines: the loops of a server of coroutines. For coroutine*.cc only; see coroutines.h.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "net/listener.h"
#include "serve/coroutine_line.h"
#include "serve/coroutines.h"
#include "serve/guests.h"
#include "serve/line_count.h"
#include "serve/operation_memory.h"

namespace weft::serve {

struct Acceptor {
  Acceptor(asio::io_context& context, int socket)
      : listener(context.get_executor(), socket), pause(context.get_executor()) {}

  Readiness listener;
  LoopTimer pause;
  OperationMemory memory;  // of either
  http::TimePoint ends = http::TimePoint::max();
};

// One thread, and what it runs.
struct Loop {
  asio::io_context context{1};  // one thread
  asio::executor_work_guard<LoopExecutor> work{context.get_executor()};
  std::deque<Acceptor> acceptors;
  // The thread's own.
  std::unordered_set<CoroutineLine*> lines;
  std::thread thread;
};

class Coroutines final : public RunningServer {
 public:
  Coroutines(CoroutineOptions options, Site& site, std::vector<os::Descriptor> listeners);
  ~Coroutines() override;

  void use_tls(std::shared_ptr<const net::TlsContext> context) override {
    house_.tls.replace(std::move(context));
  }
  void start() override;
  bool drain(std::chrono::milliseconds grace) override;
  Totals totals() const override {
    Totals totals;
    house_.counters.add_to(totals);
    totals.body_bytes = house_.memory.used_bytes();
    return totals;
  }
  const Pool* workers() const noexcept override { return &house_.pool; }

 private:
  void wait_for_guests(Loop& loop, Acceptor& acceptor);
  void accept_from(Loop& loop, Acceptor& acceptor) noexcept;
  // False: there is no memory to do so.
  bool pause_accepting(Loop& loop, Acceptor& acceptor, std::chrono::milliseconds time) noexcept;
  // False: errno says why. What there is no memory for is refused.
  bool accept_one(Loop& loop, int listener) noexcept;
  void hand_over(Loop& loop, net::Accepted accepted);
  void open(Loop& loop, os::Descriptor socket, Guest guest);
  Task<void> converse(Loop& loop, std::shared_ptr<CoroutineLine> line);
  template <class Function>
  void on_each_loop(Function function);

  CoroutineHouse house_;
  std::vector<os::Descriptor> listeners_;
  std::deque<Loop> loops_;
  atomic<std::size_t> next_loop_{0};

  LineCount lines_;  // those that accept, too
  Guests guests_;
};

}  // namespace weft::serve
