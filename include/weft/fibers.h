// SPDX-License-Identifier: Apache-2.0
// weft::Fibers: threads that run on no more kernel threads than there are CPUs in the budget.
//
//   weft::Fibers fibers;                                  // as many workers as the CPU budget
//   weft::Fiber fiber = fibers.spawn([] { … });           // a thread, with all that belongs to one
//   fiber.join();
//
// A fiber is a thread: it has thread_local variables, errno, a stack and a pthread_self() of its
// own, which stay right wherever it runs. What it must not do is block the kernel thread under it:
// it waits with weft's locks (<weft/fiber_sync.h>), sleeps and yields with the functions below, and
// reads and writes sockets with <weft/fiber_io.h>. It begins with the context (<weft/context.h>) of
// whoever spawned it. A call that blocks all the same is found, and
// the worker is given to another kernel thread; what is known to block belongs into
// this_fiber::at_home().
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <weft/cancel.h>

namespace weft {

// So long from now, or as late as there is.
inline std::chrono::steady_clock::time_point deadline_after(std::chrono::nanoseconds duration) {
  const auto now = std::chrono::steady_clock::now();
  const auto last = std::chrono::steady_clock::time_point::max();
  return duration > last - now ? last : now + duration;
}

struct FibersOptions {
  // How many fibers run at the same time. 0: the CPU budget, followed while it changes.
  std::uint32_t workers = 0;
};

struct FiberOptions {
  std::size_t stack_bytes = 0;  // 0: as any thread of the process
};

// A thread that runs as a fiber. Joined when it goes, unless it was joined or detached before.
class Fiber {
 public:
  Fiber() = default;
  ~Fiber();
  Fiber(Fiber&& other) noexcept;
  Fiber& operator=(Fiber&& other) noexcept;

  bool joinable() const noexcept { return state_ != nullptr; }
  // Waits until the function has returned and the thread's destructors have run. May be called by
  // fibers and by any other thread. Precondition: joinable(), and it is not the caller itself.
  void join();
  void detach();

 private:
  friend class Fibers;
  struct State;
  explicit Fiber(State* state) noexcept : state_(state) {}
  State* state_ = nullptr;
};

class Fibers {
 public:
  explicit Fibers(const FibersOptions& options = {});
  // Precondition: all its fibers are over.
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  // Starts a thread. Throws std::system_error where the system has none left. What the function
  // throws ends the process, as with std::thread.
  Fiber spawn(std::function<void()> function, const FiberOptions& options = {});

  // From now on so many workers; the budget is followed no more.
  void resize(std::uint32_t workers);
  std::uint32_t workers() const;

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

// For the calling thread. In a thread that is no fiber they do what one expects of them there.
namespace this_fiber {

// Lets others that are ready go first.
void yield() noexcept;
void sleep_until(std::chrono::steady_clock::time_point deadline) noexcept;
inline void sleep_for(std::chrono::nanoseconds duration) noexcept {
  sleep_until(deadline_after(duration));
}

// The same, until the token is cancelled at most. False: it was.
bool sleep_until(std::chrono::steady_clock::time_point deadline, const CancelToken& token);
inline bool sleep_for(std::chrono::nanoseconds duration, const CancelToken& token) {
  return sleep_until(deadline_after(duration), token);
}

// Whether the caller is a fiber that a worker runs at the moment.
bool is_carried() noexcept;

// What blocks, or depends on which kernel thread asks, is done on a kernel thread of the fiber's
// own.
void go_home() noexcept;
void leave_home() noexcept;
template <class Function>
auto at_home(Function function) {
  struct Trip {
    const bool was_carried = is_carried();
    Trip() {
      if (was_carried) go_home();
    }
    ~Trip() {
      if (was_carried) leave_home();
    }
    Trip(const Trip&) = delete;
    Trip& operator=(const Trip&) = delete;
  } const trip;
  return function();
}

}  // namespace this_fiber
}  // namespace weft
