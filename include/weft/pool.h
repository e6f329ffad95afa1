// SPDX-License-Identifier: Apache-2.0
// weft::Pool: threads that run jobs, as many of them as the jobs want and the CPUs bear.
//
//   weft::Pool pool;                                // sized from the CPU budget, which it follows
//   pool.submit([] { answer(request); });           // waits while the queue is full
//   pool.drain();                                   // runs all that was accepted, and ends
//
// A server that must not allocate derives from Job, and submits the job itself. Every job that was
// accepted is either run or shed, exactly once, on a thread of the pool. What run() throws is
// counted and told to the hook; the thread goes on with the next job. A job runs in the context
// (<weft/context.h>) of whoever submitted it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <weft/cancel.h>
#include <weft/context.h>

namespace weft {

namespace pool {
class Crew;
struct JobAccess;
struct Metrics;
}  // namespace pool

struct JobTimes {
  using Instant = std::chrono::steady_clock::time_point;
  Instant accepted;
  Instant started;
  std::chrono::nanoseconds waited() const noexcept { return started - accepted; }
};

enum class ShedReason {
  overloaded,  // jobs have waited too long for some time, and this one has, too
  too_old,     // it has waited longer than any job may
};

// What a pool runs. It is the submitter's, and must live until run() or shed() is called; the pool
// does not touch it after that call has begun, so either may destroy it.
class Job {
 public:
  virtual void run(const JobTimes& times) = 0;
  virtual void shed(ShedReason reason) noexcept = 0;

 protected:
  Job() = default;
  ~Job() = default;
  Job(const Job&) = default;
  Job& operator=(const Job&) = default;

 private:
  friend struct pool::JobAccess;
  Job* newer_ = nullptr;  // the pool's, while the job waits
  Job* older_ = nullptr;
  JobTimes::Instant accepted_;
  Context context_;
};

enum class Policy {
  fixed,             // as many threads as the minimum, always
  adaptive_inline,   // each submit looks at queue and latency, under a lock, and starts threads
  adaptive_monitor,  // the same look, by a thread of its own every 100 ms
  adaptive,          // by how much jobs block: see src/pool/dispatch.h and src/pool/controller.h
};

// "fixed", "adaptive-inline", "adaptive-monitor", "adaptive".
const char* to_string(Policy policy) noexcept;

// What is done when more comes than can be served. Zero switches a part off; all are off unless
// asked for, because only who submits knows what to do with a job that is not run.
struct Overload {
  // Sheds jobs that waited for more than twice the target, once all of an interval did ("CoDel").
  std::chrono::nanoseconds target{0};
  std::chrono::nanoseconds interval{std::chrono::milliseconds(100)};
  // Sheds what has waited longer.
  std::chrono::nanoseconds longest_wait{0};
  // While more jobs wait than this, the newest comes first. It blinds the target: the newest have
  // not waited, so nothing is shed, and the oldest may wait for ever.
  std::size_t newest_first_above = 0;

  // What a server that answers 503 wants: a target of 5 ms over 100 ms, oldest first.
  static Overload for_servers() noexcept;
};

struct PoolOptions {
  Policy policy = Policy::adaptive;
  std::uint32_t minimum = 0;  // threads; 0: as many as the CPU budget
  std::uint32_t maximum = 0;  // threads; 0: 64 for each CPU of the budget, from 128 to 1024
  // Jobs that compute at the same time. 0: the CPU budget, followed; where that is a quota, it is
  // rounded up, and jobs are held back before it is used up (adaptive; see src/pool/ration.h).
  std::uint32_t cpus = 0;
  std::size_t capacity = 4096;  // jobs that wait; up to 2^20 - 1
  std::uint32_t reserve = 8;    // adaptive: threads that are kept for the next burst
  std::chrono::nanoseconds shrink_interval = std::chrono::seconds(1);  // one thread less in each
  Overload overload{};
  std::string thread_name = "weft-pool";  // 15 characters at most; longer ones are cut

  // Called on the pool's threads; what they throw ends the process.
  std::function<void()> on_thread_start{};
  std::function<void()> on_thread_end{};
  std::function<void(std::exception_ptr)> on_exception{};  // of a job
};

enum class Submitted { accepted, full, closed };

struct PoolCounters {
  std::uint32_t threads = 0;
  std::uint32_t busy = 0;     // threads that run a job
  std::uint32_t parked = 0;   // threads that wait for one
  std::uint32_t allowed = 0;  // how many may run jobs at the same time
  std::uint32_t cpus = 0;
  std::uint64_t queued = 0;
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;  // full, or closed
  std::uint64_t done = 0;     // jobs that were run, those that threw among them
  std::uint64_t thrown = 0;
  std::uint64_t shed = 0;
  std::uint64_t grown = 0;    // threads started after the first ones
  std::uint64_t retired = 0;  // threads ended before the pool was closed
  std::uint64_t held = 0;     // looks that held jobs back, for the quota to last
};

class Pool {
 public:
  // Throws std::system_error when not a single thread can be had.
  explicit Pool(PoolOptions options = {});
  ~Pool();  // as drain()
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Does not wait. A job that is not accepted is still the caller's.
  Submitted try_submit(Job& job) noexcept;
  // Waits while the queue is full; so it must not be called by a job of this pool. `full`: there
  // was no room when the token was cancelled.
  Submitted submit(Job& job, const CancelToken& token = {}) noexcept;

  // The same for anything that can be called without arguments; this allocates. What is shed is
  // dropped, and counted.
  template <class Callable>
  requires std::is_invocable_v < std::decay_t<Callable>
  & > Submitted submit(Callable&& callable, const CancelToken& token = {}) {
    return submit_owned(make_job(std::forward<Callable>(callable)), true, token);
  }
  template <class Callable>
  requires std::is_invocable_v < std::decay_t<Callable>
  & > Submitted try_submit(Callable&& callable) {
    return submit_owned(make_job(std::forward<Callable>(callable)), false, {});
  }

  // From now on nothing is accepted. What was, is run.
  void close() noexcept;
  // Closes, runs what was accepted, and ends the threads. Not to be called by a job of this pool.
  void drain() noexcept;

  // From now on so many CPUs; the budget is followed no more.
  void set_cpus(std::uint32_t cpus);

  PoolCounters counters() const;
  // Durations of each request: waited, handled, in all.
  const pool::Metrics& metrics() const noexcept;

 private:
  class OwnedJob : public Job {
   public:
    virtual ~OwnedJob() = default;
    void shed(ShedReason) noexcept override { delete this; }
  };

  template <class Callable>
  static std::unique_ptr<OwnedJob> make_job(Callable&& callable) {
    using Function = std::decay_t<Callable>;
    class CallableJob final : public OwnedJob {
     public:
      explicit CallableJob(Callable&& function) : function_(std::forward<Callable>(function)) {}
      void run(const JobTimes&) override {
        const std::unique_ptr<CallableJob> own(this);
        function_();
      }

     private:
      Function function_;
    };
    return std::make_unique<CallableJob>(std::forward<Callable>(callable));
  }
  Submitted submit_owned(std::unique_ptr<OwnedJob> job, bool waits, const CancelToken& token);

  Submitted submit(Job& job, bool waits, const CancelToken& token) noexcept;

  struct Budget;
  std::unique_ptr<pool::Crew> crew_;
  std::unique_ptr<Budget> budget_;
};

// Says that the calling thread is going to wait and needs no CPU meanwhile: a pool of the policy
// `adaptive` lets another job begin at once, instead of finding out. May be nested; does nothing on
// threads that run no job.
class BlockingScope {
 public:
  BlockingScope() noexcept;
  ~BlockingScope();
  BlockingScope(const BlockingScope&) = delete;
  BlockingScope& operator=(const BlockingScope&) = delete;
};

}  // namespace weft
