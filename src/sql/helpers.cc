// SPDX-License-Identifier: Apache-2.0
// The threads that help.
#include "sql/helpers.h"

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "os/signal_mask.h"

namespace weft::sql {
namespace {

constexpr std::chrono::seconds longest_goodbye{2};

}  // namespace

struct Helpers::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::condition_variable ended;
  // Guarded by mutex.
  std::deque<std::function<void()>> queue;
  std::size_t threads = 0;  // those of post()
  std::size_t apart = 0;
  std::size_t idle = 0;
  bool ends = false;
};

namespace {

thread_local const void* own_helpers = nullptr;  // whose thread this is

}  // namespace

Helpers::Helpers(std::size_t most) : most_(most), shared_(std::make_shared<Shared>()) {}

Helpers::~Helpers() {
  std::deque<std::function<void()>> dropped;  // goes outside the lock
  std::unique_lock lock(shared_->mutex);
  shared_->ends = true;
  dropped.swap(shared_->queue);
  shared_->changed.notify_all();
  const std::size_t own = own_helpers == shared_.get() ? 1 : 0;
  shared_->ended.wait_for(lock, longest_goodbye,
                          [&] { return shared_->threads + shared_->apart == own; });
  lock.unlock();
}

void Helpers::post(std::function<void()> work) {
  const std::scoped_lock guard(shared_->mutex);
  if (shared_->idle <= shared_->queue.size() && shared_->threads < most_) {
    const os::SignalMask blocked;  // the thread's from its first moment
    std::thread([shared = shared_] { run(*shared); }).detach();
    ++shared_->threads;
  }
  shared_->queue.push_back(std::move(work));
  shared_->changed.notify_one();
}

void Helpers::post_apart(std::function<void()> work) {
  const std::scoped_lock guard(shared_->mutex);
  const os::SignalMask blocked;
  std::thread([shared = shared_, work = std::move(work)]() mutable {
    run_one(*shared, std::move(work));
  }).detach();
  ++shared_->apart;
}

void Helpers::run_one(Shared& shared, std::function<void()> work) {
  own_helpers = &shared;
  work();
  work = nullptr;
  const std::scoped_lock guard(shared.mutex);
  --shared.apart;
  shared.ended.notify_all();
}

void Helpers::run(Shared& shared) {
  own_helpers = &shared;
  ::pthread_setname_np(::pthread_self(), "weft-sql");
  std::unique_lock lock(shared.mutex);
  for (;;) {
    ++shared.idle;
    shared.changed.wait(lock, [&] { return shared.ends || !shared.queue.empty(); });
    --shared.idle;
    if (shared.ends) break;
    auto work = std::move(shared.queue.front());
    shared.queue.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // what it holds goes outside the lock
    lock.lock();
  }
  --shared.threads;
  shared.ended.notify_all();
}

}  // namespace weft::sql
