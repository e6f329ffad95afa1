// SPDX-License-Identifier: Apache-2.0
// weft::budget::Watch: follows a budget that changes while the process runs (a container that is
// resized, a process that is moved to another cgroup, a changed affinity).
//
//   weft::budget::Watch watch;
//   auto subscription = watch.subscribe([&](const weft::budget::Budget& now) {
//     pool.resize(now.sizes.cpu_pool_threads.value);
//   });
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <weft/budget.h>

namespace weft::budget {

class Watch {
  struct Subscriber;
  class Engine;

 public:
  // Ends the subscription when it goes: afterwards the callback is not running and never will,
  // unless this happens inside the callback itself, which is allowed. May outlive the watch.
  class Subscription {
   public:
    Subscription() = default;
    ~Subscription() { reset(); }
    Subscription(Subscription&&) noexcept = default;
    Subscription& operator=(Subscription&& other) noexcept;
    void reset();

    // Only a Watch can name a Subscriber, and so only it can make one of these.
    explicit Subscription(std::shared_ptr<Subscriber> subscriber)
        : subscriber_(std::move(subscriber)) {}

   private:
    std::shared_ptr<Subscriber> subscriber_;
  };

  using Callback = std::function<void(const Budget&)>;

  // Between two looks; a look takes some microseconds. Each part of a service has a watch of its
  // own, so that a change has reached all of them one period after it was made.
  static constexpr std::chrono::milliseconds usual_period{250};

  // Reads the budget, keeps the files it came from open, and re-reads them every `period` (a day at
  // most) on a thread of its own, with all signals blocked. A period of zero starts no thread:
  // refresh() is then the caller's to call. So it is where no thread can be made (a limit on
  // processes); counters().has_thread tells. CPU_LIMIT is read once, here.
  explicit Watch(Query query = {}, std::chrono::milliseconds period = usual_period);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // The newest budget.
  std::shared_ptr<const Budget> current() const;

  // Calls back at once with the newest budget, on this thread, then after each change, on the
  // thread that noticed it; never twice at the same time and never out of order. What a callback
  // throws is counted and otherwise ignored. A callback may call anything but ~Watch(); a change
  // that it finds with refresh() is told when it has returned.
  Subscription subscribe(Callback callback);

  // Looks now. true: the budget has changed, and the subscribers have been told (or another
  // thread, which is telling them already, goes on with this).
  bool refresh();

  // What watching has cost and seen so far.
  struct Counters {
    std::uint64_t refreshes = 0;
    std::uint64_t full_reads = 0;  // after something moved, and once every 60 refreshes
    std::uint64_t changes = 0;
    std::uint64_t callback_exceptions = 0;
    bool has_thread = false;
    std::uint64_t levels = 0;       // cgroup directories that are watched, and the process itself
    std::uint64_t descriptors = 0;  // kept open: one pread each in a refresh
  };
  Counters counters() const;

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace weft::budget
