// SPDX-License-Identifier: Apache-2.0
// weft::CancelScope: work that is to stop when its deadline passes, when whoever asked has gone, or
// when the process ends; all three as one std::stop_token, with a reason.
//
//   const weft::CancelScope scope(std::chrono::steady_clock::now() + 200ms);
//   queue.pop(weft::cancellation());             // gives up with the scope
//   weft::cancellation().check();                // throws weft::Cancelled, which says why
//
// Concepts
//   scope     lives as long as the work that it may stop; most often a request. It is ambient: what
//             is called within it, on whatever thread, sees it as cancellation().
//   token     what the work asks. Cheap to copy; for as long as it is kept it has its deadline and
//             follows its parents, also when the scope is over: work may outlive it.
//   reason    the first one counts; a scope that was cancelled stays so.
//   parent    the scope around a scope. What stops the parent stops the child, for the same reason,
//             and the child's deadline is never later than the parent's.
//
// Who waits, registers: std::stop_callback on stop_token(), or one of the waits of weft that take
// a token (queues, pools, fibers, coroutines, on_cancel() for everything else). Nothing is polled.
//
// Deadlines of all scopes are kept by one thread (src/cancel/timers.h), which starts with the
// first. Callbacks run on the thread that cancels; for deadlines on that one: they must be short,
// and wait for nothing. A process that forks has no such thread in the child.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <stop_token>
#include <utility>

#include <weft/context.h>

namespace weft {

enum class CancelReason : std::uint8_t {
  none,      // it goes on
  deadline,  // it took too long
  client,    // nobody waits for the answer any more
  shutdown,  // the process ends
  overload,  // there is too much to do, and this was chosen not to be done
};
// "none", "deadline", "client", "shutdown", "overload".
const char* to_string(CancelReason reason) noexcept;

// What check() throws; by then all that is to be said is the reason.
class Cancelled : public std::exception {
 public:
  explicit Cancelled(CancelReason reason) noexcept : reason_(reason) {}
  CancelReason reason() const noexcept { return reason_; }
  const char* what() const noexcept override;

 private:
  CancelReason reason_;
};

namespace cancel {
struct State;
}  // namespace cancel

class CancelToken {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  CancelToken() = default;  // never cancelled
  explicit CancelToken(std::shared_ptr<const cancel::State> state) noexcept;

  CancelReason reason() const noexcept;
  bool is_cancelled() const noexcept { return reason() != CancelReason::none; }
  void check() const;
  // max(): none.
  Instant deadline() const noexcept;
  // What is left of it, 0 at least; max(): all the time there is.
  std::chrono::nanoseconds remaining() const noexcept;
  // Of a token that is never cancelled it has no state, and takes no callbacks.
  const std::stop_token& stop_token() const noexcept { return stop_token_; }

 private:
  friend class CancelSource;
  std::shared_ptr<const cancel::State> state_;
  std::stop_token stop_token_;
};

// For who may cancel, and does not know how long the source lives: it may be gone.
class Canceller {
 public:
  Canceller() = default;  // of nothing
  explicit Canceller(std::shared_ptr<cancel::State> state) noexcept : state_(std::move(state)) {}
  // False: it was cancelled before, and that reason stays. For any thread.
  bool cancel(CancelReason reason) const noexcept;

 private:
  std::shared_ptr<cancel::State> state_;
};

// Can be cancelled, and is not ambient: for those that hand tokens out themselves.
class CancelSource {
 public:
  using Instant = CancelToken::Instant;

  [[nodiscard]] explicit CancelSource(Instant deadline = Instant::max(),
                                      const CancelToken& parent = {});
  // For who learns of the deadline's passing anyway, and cancels then: no timer is kept for it
  // here.
  struct Watched {};
  CancelSource(Watched, Instant deadline);
  CancelSource(const CancelSource&) = delete;
  CancelSource& operator=(const CancelSource&) = delete;

  // As a Canceller's.
  bool cancel(CancelReason reason) noexcept { return canceller().cancel(reason); }
  Canceller canceller() const noexcept { return Canceller(state_); }
  CancelToken token() const noexcept;

 private:
  std::shared_ptr<cancel::State> state_;
};

// The token of the innermost scope of here; one that is never cancelled, where there is none.
CancelToken cancellation() noexcept;

// Makes the token that of here, for work that was given one.
Ambient<CancelToken>::Guard set_cancellation(CancelToken token);

class CancelScope {
 public:
  using Instant = CancelToken::Instant;

  [[nodiscard]] explicit CancelScope(Instant deadline = Instant::max())
      : CancelScope(deadline, cancellation()) {}
  // With another parent than the scope of here.
  [[nodiscard]] CancelScope(Instant deadline, const CancelToken& parent);

  bool cancel(CancelReason reason) noexcept { return source_.cancel(reason); }
  CancelToken token() const noexcept { return source_.token(); }

 private:
  CancelSource source_;
  Ambient<CancelToken>::Guard guard_;
};

// Calls the function once when the token is cancelled: at once, if it was. When it goes, the
// function is not running and never will, unless it goes within the function itself.
template <class Function>
class [[nodiscard]] OnCancel {
 public:
  OnCancel(const CancelToken& token, Function function)
      : callback_(token.stop_token(), std::move(function)) {}

 private:
  std::stop_callback<Function> callback_;
};

}  // namespace weft
