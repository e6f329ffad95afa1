// SPDX-License-Identifier: Apache-2.0
// The way of a session from a statement that was left to the next one.
#include "sql/recovery.h"

#include <weft/cancel_wait.h>
#include <weft/sql.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace weft::sql {
namespace {

using Clock = std::chrono::steady_clock;
using Instant = RecoverableSession::Instant;

// Before a cancel is sent again, which the server may have had before the statement; longer each
// time.
constexpr std::chrono::milliseconds first_pause{2};

}  // namespace

struct Recovery::State {
  enum class Phase { queued, reading, sending, clean, lost };
  using Followers = std::vector<std::function<void()>>;
  struct GraceIsOver {
    State* state;
    void operator()() const noexcept { state->end_of_grace(); }
  };

  // What the helper does.
  void run() noexcept;
  bool recover() noexcept;
  bool send() noexcept;
  // False: it is over, and the session is not to be touched.
  bool enter(Phase next) noexcept;
  void end(bool is_clean) noexcept;
  void end_of_grace() noexcept;
  bool is_over() const noexcept { return phase == Phase::clean || phase == Phase::lost; }

  std::shared_ptr<Helpers> helpers;
  std::shared_ptr<CancelTarget> target;
  RecoverableSession* session = nullptr;  // the helper's, while it is reading
  Instant give_up_at;

  std::mutex mutex;
  std::condition_variable changed;
  // Guarded by mutex.
  Phase phase = Phase::queued;
  bool rolls_back = false;
  bool was_sent = false;
  bool was_shut = false;
  Followers followers;

  // Last, so that they go first.
  std::optional<CancelSource> grace;
  std::optional<OnCancel<GraceIsOver>> on_grace;
};

Recovery::Recovery(std::shared_ptr<Helpers> helpers, std::chrono::milliseconds grace)
    : helpers_(std::move(helpers)), grace_(grace) {}

void Recovery::begin(std::shared_ptr<CancelTarget> target, RecoverableSession& session) {
  state_ = std::make_shared<State>();
  state_->helpers = helpers_;
  state_->target = std::move(target);
  state_->session = &session;
  state_->give_up_at = Clock::now() + grace_;
  try {
    state_->grace.emplace(state_->give_up_at);
    state_->on_grace.emplace(state_->grace->token(), State::GraceIsOver{state_.get()});
    helpers_->post([state = state_] { state->run(); });
  } catch (const std::exception&) {  // no thread is to be had: then the session is lost
    state_->target->shut_down();
    const std::scoped_lock guard(state_->mutex);
    state_->phase = State::Phase::lost;
  }
}

bool Recovery::State::enter(Phase next) noexcept {
  const std::scoped_lock guard(mutex);
  if (is_over()) return false;
  phase = next;
  changed.notify_all();
  return true;
}

void Recovery::State::run() noexcept {
  if (!enter(Phase::reading)) return;
  const bool is_clean = recover();
  if (enter(Phase::reading)) end(is_clean);
}

// Whether the session can be used again; for nothing, if it was given up meanwhile.
bool Recovery::State::recover() noexcept {
  using Answer = RecoverableSession::Answer;
  bool is_sent = false;
  Answer answer = session->read_until(Clock::now());
  for (auto pause = first_pause; answer == Answer::pending; pause *= 2) {
    if (Clock::now() >= give_up_at || !send()) return false;
    is_sent = true;
    answer = session->read_until(std::min(give_up_at, Clock::now() + pause));
  }
  return answer == Answer::whole && (!is_sent || session->take_leftover(give_up_at));
}

// False: nobody knows whether it is on its way, or the session was given up.
bool Recovery::State::send() noexcept {
  if (!enter(Phase::sending)) return false;
  const bool is_sent = target->send();
  {
    const std::scoped_lock guard(mutex);
    was_sent = true;
  }
  return enter(Phase::reading) && is_sent;
}

void Recovery::State::end(bool is_clean) noexcept {
  std::unique_lock lock(mutex);
  while (std::exchange(rolls_back, false) && is_clean) {
    lock.unlock();
    is_clean = session->roll_back(give_up_at);
    lock.lock();
  }
  phase = is_clean && !was_shut ? Phase::clean : Phase::lost;
  if (phase == Phase::lost) target->shut_down();  // nobody is to wait for it when it is closed
  const Followers all = std::exchange(followers, {});
  changed.notify_all();
  lock.unlock();
  for (const auto& follower : all) follower();
}

// On the thread of all deadlines.
void Recovery::State::end_of_grace() noexcept {
  Followers all;
  {
    const std::scoped_lock guard(mutex);
    if (is_over()) return;
    was_shut = true;
    target->shut_down();  // ends what the helper waits for, but for the cancel
    if (phase == Phase::reading) return;
    phase = Phase::lost;
    all = std::exchange(followers, {});
    changed.notify_all();
  }
  if (all.empty()) return;
  try {
    helpers->post_apart([all = std::move(all)] {
      for (const auto& follower : all) follower();
    });
  } catch (const std::exception&) {
    // No thread: they are not told, and their connections stay away.
  }
}

bool Recovery::is_under_way() const noexcept {
  if (state_ == nullptr) return false;
  const std::scoped_lock guard(state_->mutex);
  return !state_->is_over();
}

bool Recovery::is_lost() const noexcept {
  if (state_ == nullptr) return false;
  const std::scoped_lock guard(state_->mutex);
  return state_->phase == State::Phase::lost;
}

bool Recovery::wait(const CancelToken& token) {
  if (state_ == nullptr) return true;
  std::unique_lock lock(state_->mutex);
  return weft::wait(state_->changed, lock, token, [&] { return state_->is_over(); });
}

void Recovery::wait_or_throw(const CancelToken& token) {
  if (!wait(token)) {
    throw Error(ErrorKind::cancelled, "", "the statement before was cancelled, and has not ended");
  }
  if (is_lost()) {
    throw Error(ErrorKind::unavailable, "",
                "the statement before was cancelled, and the server did not end it in time; take "
                "another connection");
  }
}

bool Recovery::roll_back() noexcept {
  if (state_ == nullptr) return false;
  const std::scoped_lock guard(state_->mutex);
  if (state_->is_over()) return false;
  state_->rolls_back = true;
  return true;
}

bool Recovery::then(std::function<void()> function) {
  if (state_ == nullptr) return false;
  const std::scoped_lock guard(state_->mutex);
  if (state_->is_over()) return false;
  state_->followers.push_back(std::move(function));
  return true;
}

void Recovery::give_up() noexcept {
  if (state_ == nullptr) return;
  std::unique_lock lock(state_->mutex);
  using Phase = State::Phase;
  // The cancel is sent all the same: the server is not to work for nobody.
  state_->changed.wait_until(lock, state_->give_up_at, [&] {
    return state_->is_over() || state_->phase == Phase::sending || state_->was_sent;
  });
  if (state_->is_over()) return;
  if (state_->phase == Phase::sending || state_->phase == Phase::queued) {
    state_->phase = Phase::lost;
    return;
  }
  state_->was_shut = true;
  state_->target->shut_down();
  state_->changed.wait(lock, [&] { return state_->is_over(); });
}

}  // namespace weft::sql
