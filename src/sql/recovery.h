// SPDX-License-Identifier: Apache-2.0
// Recovery: what becomes of a session whose statement nobody waits for any more.
//
// Who is cancelled leaves at once, or as soon as the driver lets it. By then the statement may run
// on, and its answer is still to come. A helper sends the server's own kind of cancel, sees the
// answer in, and brings the session to where it can be used again; all of that takes as long as the
// server needs, and nobody waits for it.
//
//   none  --begin()-->  queued  --a helper takes it-->  reading  --the answer is whole-->  none
//                       reading  --nothing comes-->  sending  --the server has the cancel-->
//                       reading queued, sending  --the grace is over-->  lost reading  --the grace
//                       is over, so the socket is shut down-->  lost
//
// Invariants
//   - From begin() until it is over the session is the helper's, and nobody else's. So a cancel is
//     never under way to a session that somebody uses.
//   - In `sending` the helper touches the target only, which may outlive the session: the call may
//     hang, and then the session is lost without it.
//
// Rejected: to wait for the server's cancel, as it was. PostgreSQL starts a process for each: 3 ms,
// and ten times that on a busy machine, for a request that is over.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include <weft/cancel.h>

#include "sql/cancel_target.h"
#include "sql/helpers.h"

namespace weft::sql {

// What a helper does with a session. Each ends soon after its time at the latest, or when the
// socket is shut down, which happens when the grace is over.
class RecoverableSession {
 public:
  using Instant = std::chrono::steady_clock::time_point;
  enum class Answer { whole, pending, lost };

  // Until the answer is there, and nobody else uses the session.
  virtual Answer read_until(Instant until) noexcept = 0;
  // Takes what may be left of a cancel that was sent. False: the session is lost.
  virtual bool take_leftover(Instant until) noexcept = 0;
  virtual bool roll_back(Instant until) noexcept = 0;

 protected:
  ~RecoverableSession() = default;
};

class Recovery {
 public:
  Recovery(std::shared_ptr<Helpers> helpers, std::chrono::milliseconds grace);
  ~Recovery() = default;
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  // For any thread, but one at a time with the rest. Precondition: it is not under way, and the
  // session has not been lost. The session stays where it is until it is over. Throws
  // std::bad_alloc.
  void begin(std::shared_ptr<CancelTarget> target, RecoverableSession& session);

  bool is_under_way() const noexcept;
  // For good.
  bool is_lost() const noexcept;
  // Waits until it is over; false: the token was cancelled before.
  bool wait(const CancelToken& token);
  // The same with Error: kind cancelled, or, where the session is lost, unavailable.
  void wait_or_throw(const CancelToken& token);
  // Rolls the session's transaction back before it is over. False: it is over.
  bool roll_back() noexcept;
  // Calls it, once, when it is over, on a thread of the helpers. False: it is over, and it is not
  // called.
  bool then(std::function<void()> function);
  // Sees to it that it is over soon, and waits for that: the session is to be closed.
  void give_up() noexcept;

 private:
  struct State;
  const std::shared_ptr<Helpers> helpers_;
  const std::chrono::milliseconds grace_;
  std::shared_ptr<State> state_;  // of the last one; null: there was none
};

}  // namespace weft::sql
