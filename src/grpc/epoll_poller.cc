// SPDX-License-Identifier: Apache-2.0
// One wait for sockets, timers and the bell.
#include "grpc/epoll_poller.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "net/deadlines.h"
#include "os/check.h"

namespace weft::grpc {
namespace {

constexpr std::size_t most_events = 256;

}  // namespace

EpollPoller::EpollPoller()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = nullptr;  // the bell
  os::check(epoll_.valid() && bell_.valid() &&
                ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, bell_.get(), &event) == 0,
            "weft: no descriptor left; raise `ulimit -n`");
}

bool EpollPoller::watch(int descriptor, std::uint32_t events, Watched& watched) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &watched;
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void EpollPoller::change(int descriptor, std::uint32_t events, Watched& watched) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &watched;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event);
}

void EpollPoller::forget(int descriptor) noexcept {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
}

void EpollPoller::ring() noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(bell_.get(), &one, sizeof(one)));
}

bool EpollPoller::poll(Instant until) {
  std::array<epoll_event, most_events> events;
  until = std::min(until, timers_.next());
  const Instant looks = Instant::clock::now();
  const bool waits = until != Instant::min();
  const auto patience = waits ? net::patience_until(until, looks) : std::chrono::milliseconds(0);
  const int count =
      ::epoll_wait(epoll_.get(), events.data(), most_events, static_cast<int>(patience.count()));
  lateness_ = looks - now_;
  now_ = waits ? Instant::clock::now() : looks;
  bool is_rung = false;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.ptr != nullptr) {
      static_cast<Watched*>(event.data.ptr)->on_ready(event.events);
      continue;
    }
    std::uint64_t rings = 0;
    is_rung = ::read(bell_.get(), &rings, sizeof(rings)) > 0;
  }
  timers_.expire(now_);
  if (follower_ != nullptr) follower_->see_to_all();
  return is_rung;
}

}  // namespace weft::grpc
