// SPDX-License-Identifier: Apache-2.0
// Threads come and go with the budget.
#include "grpc/crew.h"

#include <pthread.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "os/signal_mask.h"

namespace weft::grpc {

namespace asio = boost::asio;

Crew::Crew(std::vector<std::unique_ptr<Worker>> workers)
    : workers_(std::move(workers)), places_(workers_.size()) {}

template <class Function>
void Crew::tell(std::size_t index, Function function) {
  Worker& worker = *workers_[index];
  asio::post(worker.queue().executor(), [&worker, function] { function(worker); });
}

void Crew::resize(std::uint32_t serving) {
  const std::scoped_lock guard(mutex_);
  if (is_closed_) return;
  serving_ = std::clamp(serving, 1U, static_cast<std::uint32_t>(workers_.size()));
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const bool serves = i < serving_;
    if (std::exchange(places_[i].serves, serves) == serves) continue;
    if (serves) {
      begin(i);
    } else {
      tell(i, [](Worker& worker) {
        worker.stop_serving();
        worker.queue().leave();
      });
    }
  }
  share_out();
}

// Clients keep their connections: those that are new here would get nothing to do.
void Crew::share_out() {
  std::uint32_t connections = 0;
  for (const auto& worker : workers_) {
    if (worker->port() == nullptr) return;
    connections += worker->port()->connections().load(std::memory_order_relaxed);
  }
  const std::uint32_t share = (connections + serving_ - 1) / serving_;
  for (std::size_t i = 0; i < serving_; ++i) {
    if (workers_[i]->port()->connections().load(std::memory_order_relaxed) <= share) continue;
    tell(i, [share](Worker& worker) { worker.port()->drain_beyond(share); });
  }
}

void Crew::give(net::Accepted accepted) {
  const std::scoped_lock guard(mutex_);
  if (is_closed_) return;
  const auto connections = [this](std::size_t i) {
    return workers_[i]->port()->connections().load(std::memory_order_relaxed);
  };
  std::size_t chosen = 0;
  for (std::size_t i = 1; i < serving_; ++i) {
    if (connections(i) < connections(chosen)) chosen = i;
  }
  Worker& worker = *workers_[chosen];
  worker.port()->connections().fetch_add(1, std::memory_order_relaxed);
  asio::post(worker.queue().executor(), [&worker, own = std::move(accepted)]() mutable {
    worker.port()->take(std::move(own));
  });
}

void Crew::drain() {
  const std::scoped_lock guard(mutex_);
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (places_[i].runs) tell(i, [](Worker& worker) { worker.stop_serving(); });
  }
}

void Crew::cut() {
  const std::scoped_lock guard(mutex_);
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (places_[i].runs) tell(i, [](Worker& worker) { worker.port()->cut(); });
  }
}

void Crew::begin(std::size_t index) {
  Place& place = places_[index];
  tell(index, [](Worker& worker) {
    worker.queue().stay();
    worker.begin_serving();
  });
  if (std::exchange(place.runs, true)) return;
  if (place.thread.joinable()) place.thread.join();  // has left, and holds no lock
  const os::SignalMask blocked;                      // the thread's from its first moment
  place.thread = std::thread([this, index] { run(index); });
}

void Crew::run(std::size_t index) {
  ::pthread_setname_np(::pthread_self(), "weft-grpc");
  const auto serve = [this, index] {
    for (;;) {
      workers_[index]->queue().run();
      const std::scoped_lock guard(mutex_);
      if (places_[index].serves && !is_closed_) continue;  // was wanted again meanwhile
      places_[index].runs = false;
      return;
    }
  };
  // Asio keeps the memory of what it allocates for the next, on threads that run a context of its.
  asio::io_context frame(1);
  asio::post(frame, serve);
  frame.run();
}

std::uint32_t Crew::size() const {
  const std::scoped_lock guard(mutex_);
  return serving_;
}

void Crew::cancel_all(CancelReason reason) {
  const std::scoped_lock guard(mutex_);
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (places_[i].runs) tell(i, [reason](Worker& worker) { worker.cancel_all(reason); });
  }
}

bool Crew::is_idle() const noexcept {
  return std::ranges::all_of(workers_, [](const auto& worker) {
    const WorkerCounters& own = worker->counters();
    std::uint64_t open =
        own.armed.load(std::memory_order_relaxed) + own.started.load(std::memory_order_relaxed);
    for (const auto& method : own.finished) {
      for (const auto& finished : method) open -= finished.load(std::memory_order_relaxed);
    }
    return open == 0;
  });
}

void Crew::close() {
  {
    const std::scoped_lock guard(mutex_);
    is_closed_ = true;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      tell(i, [](Worker& worker) {
        worker.stop_serving();
        worker.queue().close();
      });
    }
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (places_[i].thread.joinable()) places_[i].thread.join();
    // Of one that had left, the letter is still there.
    workers_[i]->queue().run();
  }
}

}  // namespace weft::grpc
