// SPDX-License-Identifier: Apache-2.0
// Waits for ends of connections, and for nothing else.
#include "serve/hang_ups.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <new>

#include "os/check.h"
#include "os/signal_mask.h"
#include "serve/epoll_watch.h"

namespace weft::serve {
namespace {

constexpr int most_events = 64;
constexpr std::uint64_t end_number = 0;  // no connection's

}  // namespace

HangUps::HangUps()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), end_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  os::check(epoll_.valid() && end_.valid(), "weft: no descriptor left; raise `ulimit -n`");
  os::check(watch(epoll_, end_.get(), EPOLLIN, end_number),
            "weft: epoll takes no more descriptors: no memory, or a limit of users");
}

HangUps::~HangUps() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(end_.get(), &one, sizeof one));
  if (thread_.joinable()) thread_.join();
}

void HangUps::start() {
  const os::SignalMask blocked;  // the thread's from its first moment
  thread_ = std::thread([this] { run(); });
}

HangUps::Watch::Watch(HangUps& hang_ups, int socket, std::shared_ptr<HandlerToken> handler)
    : hang_ups_(hang_ups), socket_(socket) {
  {
    const std::scoped_lock guard(hang_ups_.mutex_);
    number_ = ++hang_ups_.last_number_;
    hang_ups_.handlers_.emplace(number_, std::move(handler));
  }
  if (watch(hang_ups_.epoll_, socket, EPOLLRDHUP | EPOLLET, number_)) return;
  const std::scoped_lock guard(hang_ups_.mutex_);
  hang_ups_.handlers_.erase(number_);
  throw std::bad_alloc();
}

void HangUps::forget(int socket) noexcept {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket, nullptr);
}

HangUps::Watch::~Watch() {
  hang_ups_.forget(socket_);  // it may be forgotten already
  const std::scoped_lock guard(hang_ups_.mutex_);
  hang_ups_.handlers_.erase(number_);
}

void HangUps::run() {
  ::pthread_setname_np(::pthread_self(), "weft-hang-ups");
  for (;;) {
    std::array<epoll_event, most_events> events;
    const int count = ::epoll_wait(epoll_.get(), events.data(), most_events, -1);
    for (int i = 0; i < count; ++i) {
      const std::uint64_t number = events[static_cast<std::size_t>(i)].data.u64;
      if (number == end_number) return;
      tell(number);
    }
  }
}

void HangUps::tell(std::uint64_t number) noexcept {
  std::shared_ptr<HandlerToken> handler;
  {
    const std::scoped_lock guard(mutex_);
    if (const auto found = handlers_.find(number); found != handlers_.end()) {
      handler = found->second;
    }
  }
  if (handler != nullptr) handler->tell(CancelReason::client);
}

}  // namespace weft::serve
