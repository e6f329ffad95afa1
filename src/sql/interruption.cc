// SPDX-License-Identifier: Apache-2.0
// The way of a cancel from a token to a server, and the end of it.
#include "sql/interruption.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace weft::sql {
namespace {

// Before a cancel is sent again; longer each time.
constexpr std::chrono::milliseconds first_pause{20};

}  // namespace

CancelTarget::CancelTarget(int socket) : socket_(::fcntl(socket, F_DUPFD_CLOEXEC, 0)) {}

void CancelTarget::shut_down() noexcept {
  if (socket_.valid()) ::shutdown(socket_.get(), SHUT_RDWR);
}

bool CancelTarget::has_hung_up() const noexcept {
  pollfd look{.fd = socket_.get(), .events = POLLIN | POLLRDHUP, .revents = 0};
  return !socket_.valid() || ::poll(&look, 1, 0) != 0;
}

Interruption::Interruption(Helpers& helpers, std::shared_ptr<CancelTarget> target,
                           const CancelToken& token, std::chrono::milliseconds grace)
    : helpers_(helpers), grace_(grace), state_(std::make_shared<State>()) {
  state_->target = std::move(target);
  if (token.stop_token().stop_possible()) on_cancel_.emplace(token, Ask{this});
}

void Interruption::State::shut_down() noexcept {
  was_shut.store(true);
  target->shut_down();
}

void Interruption::State::send() {
  std::unique_lock lock(mutex);
  if (phase != Phase::queued) return;
  for (auto pause = first_pause; !has_ended; pause *= 2) {
    phase = Phase::sending;
    lock.unlock();
    const bool is_sent = target->send();
    lock.lock();
    phase = is_sent ? Phase::sent : Phase::failed;
    changed.notify_all();
    const auto until = std::min(give_up_at, std::chrono::steady_clock::now() + pause);
    if (!is_sent || changed.wait_until(lock, until, [&] { return has_ended; })) return;
    if (std::chrono::steady_clock::now() >= give_up_at) return;
  }
}

void Interruption::ask() noexcept {
  try {
    queue();
  } catch (const std::exception&) {
    state_->shut_down();  // no thread, no memory: then there is no grace
  }
}

void Interruption::queue() {
  const Instant give_up_at = std::chrono::steady_clock::now() + grace_;
  grace_source_.emplace(give_up_at);
  shut_.emplace(grace_source_->token(), Shut{state_});
  {
    const std::scoped_lock guard(state_->mutex);
    state_->give_up_at = give_up_at;
    state_->phase = Phase::queued;
  }
  helpers_.post([state = state_] { state->send(); });
}

Interruption::Outcome Interruption::settle() {
  on_cancel_.reset();
  std::unique_lock lock(state_->mutex);
  state_->has_ended = true;
  state_->changed.notify_all();
  if (state_->phase == Phase::queued) state_->phase = Phase::withdrawn;
  if (state_->phase == Phase::idle || state_->phase == Phase::withdrawn) return Outcome::untouched;
  state_->changed.wait_until(lock, state_->give_up_at,
                             [&] { return state_->phase != Phase::sending; });
  if (state_->phase == Phase::sent) return Outcome::sent;
  is_unknown_ = true;
  return Outcome::unknown;
}

bool Interruption::finish() {
  shut_.reset();
  return !is_unknown_ && !state_->was_shut.load();
}

}  // namespace weft::sql
