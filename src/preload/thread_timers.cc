// SPDX-License-Identifier: Apache-2.0
// The records of timers that signal one thread.
#include "preload/thread_timers.h"

#include <cerrno>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>

#include "os/signal_mask.h"
#include "os/spin_lock.h"
#include "preload/real.h"
#include "preload/signal_catcher.h"

namespace weft::preload {
namespace {

struct Timer {
  fiber::Fiber* fiber = nullptr;
  std::uint32_t thread_id = 0;  // records of fibers are used again
  int signal = 0;
  sigval value{};
  timer_t timer{};
  int overruns = 0;
  Timer* next = nullptr;
};
constinit os::SpinLock lock;
constinit Timer* first = nullptr;  // guarded by lock, as all that is in it

template <class Matches>
Timer** find(Matches matches) {
  Timer** link = &first;
  while (*link != nullptr && !matches(**link)) link = &(*link)->next;
  return link;
}

Timer* by_kernel_id(int id) {
  return *find([id](const Timer& timer) {
    return static_cast<int>(reinterpret_cast<std::intptr_t>(timer.timer)) == id;
  });
}

}  // namespace

int create_timer(clockid_t clock, const sigevent& event, fiber::Fiber& fiber,
                 timer_t* timer) noexcept {
  std::unique_ptr<Timer> made(new (std::nothrow) Timer{.fiber = &fiber,
                                                       .thread_id = fiber.id.load(),
                                                       .signal = event.sigev_signo,
                                                       .value = event.sigev_value});
  if (made == nullptr || !is_signal(event.sigev_signo)) {
    errno = made == nullptr ? EAGAIN : EINVAL;
    return -1;
  }
  sigevent ours = event;
  ours.sigev_signo = os::own_signal;
  ours.sigev_value.sival_ptr = made.get();
  ours._sigev_un._tid = static_cast<pid_t>(id_of_catcher());
  if (WEFT_REAL(timer_create)(clock, &ours, &made->timer) != 0) return -1;
  *timer = made->timer;
  const os::SignalMask undisturbed;
  const std::scoped_lock guard(lock);
  made->next = first;
  first = made.release();
  return 0;
}

void forget_timer(timer_t timer) noexcept {
  std::unique_ptr<Timer> gone;
  const os::SignalMask undisturbed;
  const std::scoped_lock guard(lock);
  Timer** const link = find([timer](const Timer& known) { return known.timer == timer; });
  gone.reset(*link);
  if (gone != nullptr) *link = gone->next;
}

void forget_timers() noexcept {
  lock.unlock();
  while (first != nullptr) {
    const std::unique_ptr<Timer> gone(first);
    first = gone->next;
  }
}

int overruns_of(timer_t timer) noexcept {
  const os::SignalMask undisturbed;
  const std::scoped_lock guard(lock);
  const Timer* const known = *find([timer](const Timer& one) { return one.timer == timer; });
  return known == nullptr ? -1 : known->overruns;
}

void timer_expired(const siginfo_t& info) noexcept {
  Timer known;
  {
    const std::scoped_lock guard(lock);
    const Timer* const found = by_kernel_id(info.si_timerid);
    if (found == nullptr || found != info.si_value.sival_ptr) return;
    known = *found;
  }
  fiber::Fiber& fiber = *known.fiber;
  const bool is_there = fiber.id.load() == known.thread_id && fiber.runtime != nullptr;
  if (!is_there) return;
  siginfo_t theirs = info;
  theirs.si_signo = known.signal;
  theirs.si_value = known.value;
  send_or_act(fiber, known.signal, theirs);
}

void note_delivery(const siginfo_t& info) noexcept {
  if (info.si_code != SI_TIMER) return;
  const os::SignalMask undisturbed;
  const std::scoped_lock guard(lock);
  Timer* const known = by_kernel_id(info.si_timerid);
  if (known != nullptr) known->overruns = info.si_overrun;
}

}  // namespace weft::preload
