// SPDX-License-Identifier: Apache-2.0
// Interruption: one statement on a server, and what ends it when its token is cancelled.
//
//   idle  --the token is cancelled-->  queued  --a helper takes it-->  sending  -->  sent, or
//   failed
//                                      queued  --the statement ends--> withdrawn: never sent
//
// The token's callback runs on the thread that keeps all deadlines of the process: it only queues.
// From then on the statement has `grace` to end; then its socket is shut down, which ends whatever
// the driver waits for. That is a system call which does not block, so the callback of a second
// deadline does it.
//
// Invariants
//   - The cancel is sent while the statement's thread is between the constructor and settle(), or
//     settle() says that nobody knows.
//   - The socket that is shut down is a duplicate of the driver's, and is closed by nobody else.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include <weft/cancel.h>

#include "os/file.h"
#include "sql/helpers.h"

namespace weft::sql {

// How the statements of one connection are cancelled. May outlive the connection.
class CancelTarget {
 public:
  // Of the driver's socket.
  explicit CancelTarget(int socket);
  virtual ~CancelTarget() = default;
  CancelTarget(const CancelTarget&) = delete;
  CancelTarget& operator=(const CancelTarget&) = delete;

  // Sends the server's own kind of cancel, and waits until the server has taken it; true then.
  virtual bool send() noexcept = 0;
  void shut_down() noexcept;
  // The other side has closed, or sent what was not asked for.
  bool has_hung_up() const noexcept;

 private:
  const os::Descriptor socket_;
};

class Interruption {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  Interruption(Helpers& helpers, std::shared_ptr<CancelTarget> target, const CancelToken& token,
               std::chrono::milliseconds grace);

  enum class Outcome {
    untouched,  // nothing was sent, and nothing will be
    sent,       // the server has it; the statement may have ended before
    unknown,    // it may still be on its way
  };
  // The statement has ended.
  Outcome settle();
  // Whether the connection can be used again, as far as this can tell. Follows settle(), and what
  // is done because of it: until here the grace counts.
  bool finish();

 private:
  enum class Phase { idle, queued, sending, sent, failed, withdrawn };
  // Shared with the helper.
  struct State {
    std::shared_ptr<CancelTarget> target;
    std::atomic<bool> was_shut{false};
    std::mutex mutex;
    std::condition_variable changed;
    // Guarded by mutex.
    Phase phase = Phase::idle;
    bool has_ended = false;  // the statement
    Instant give_up_at = Instant::max();

    void send();
    void shut_down() noexcept;
  };
  struct Shut {
    std::shared_ptr<State> state;
    void operator()() const noexcept { state->shut_down(); }
  };
  struct Ask {
    Interruption* self;
    void operator()() const noexcept { self->ask(); }
  };
  void ask() noexcept;
  void queue();

  Helpers& helpers_;
  const std::chrono::milliseconds grace_;
  const std::shared_ptr<State> state_;
  // The callback's, until it is gone; then the statement's thread's.
  std::optional<CancelSource> grace_source_;
  std::optional<OnCancel<Shut>> shut_;
  bool is_unknown_ = false;
  std::optional<OnCancel<Ask>> on_cancel_;
};

}  // namespace weft::sql
