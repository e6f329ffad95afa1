// SPDX-License-Identifier: Apache-2.0
// select and epoll: waiting for many descriptors in two other forms.
#include <sys/epoll.h>
#include <sys/select.h>

#include "preload/calls.h"
#include "preload/durations.h"
#include "preload/fortified.h"
#include "preload/real.h"
#include "preload/selection.h"
#include "sched/io.h"

namespace weft::preload {
namespace {

// As select, but answers minus errno.
long select_until(int count, fd_set* read, fd_set* write, fd_set* except, os::Instant deadline) {
  if (count < 0) return -EINVAL;
  Selection selection(count, read, write, except);
  const long found = sched::poll(selection.data(), selection.count(), deadline);
  if (found < 0) return found;
  const long ready = selection.ready();
  if (ready > 0 || (ready == 0 && found == 0)) selection.write_back();
  if (ready != 0 || found == 0) return ready;
  // A hang-up, which poll always tells, and nobody has asked for: the kernel can wait without.
  const timespec left = deadline == os::never ? timespec{} : left_until(deadline);
  const int result = home_call("select", [&] {
    return WEFT_REAL(pselect)(count, read, write, except, deadline == os::never ? nullptr : &left,
                              nullptr);
  });
  return result < 0 ? -errno : result;
}

bool is_too_small(std::size_t bytes, nfds_t count) {
  return bytes / sizeof(pollfd) < count;
}

}  // namespace
}  // namespace weft::preload

using namespace weft;
using namespace weft::preload;

extern "C" {

int select(int count, fd_set* read, fd_set* write, fd_set* except, timeval* time) {
  if (!is_fiber()) return WEFT_REAL(select)(count, read, write, except, time);
  os::Instant deadline = os::never;
  if (time != nullptr) {
    if (time->tv_sec < 0 || time->tv_usec < 0) return answer<int>(-EINVAL);
    deadline = deadline_in({.tv_sec = time->tv_sec + time->tv_usec / 1'000'000,
                            .tv_nsec = (time->tv_usec % 1'000'000) * 1000});
  }
  const int result = blocking_call(
      [&] { return select_until(count, read, write, except, deadline); },
      [&] { return WEFT_REAL(select)(count, read, write, except, time); }, Restarts::no);
  if (time != nullptr && deadline != os::never) {
    const timespec left = left_until(deadline);
    *time = {.tv_sec = left.tv_sec, .tv_usec = left.tv_nsec / 1000};
  }
  return result;
}

int pselect(int count, fd_set* read, fd_set* write, fd_set* except, const timespec* time,
            const sigset_t* mask) {
  const auto call = [&] { return WEFT_REAL(pselect)(count, read, write, except, time, mask); };
  if (mask != nullptr) return masked_call("pselect", mask, call);
  if (time != nullptr && !is_valid(*time)) return answer<int>(-EINVAL);
  const os::Instant deadline = time == nullptr ? os::never : deadline_in(*time);
  return blocking_call([&] { return select_until(count, read, write, except, deadline); }, call,
                       Restarts::no);
}

int epoll_wait(int descriptor, epoll_event* events, int most_events, int milliseconds) {
  const os::Instant deadline = deadline_in_milliseconds(milliseconds);
  return blocking_call(
      [&] { return sched::wait_for_events(descriptor, events, most_events, deadline); },
      [&] { return WEFT_REAL(epoll_wait)(descriptor, events, most_events, milliseconds); },
      Restarts::no);
}

int epoll_pwait(int descriptor, epoll_event* events, int most_events, int milliseconds,
                const sigset_t* mask) {
  if (mask == nullptr) return epoll_wait(descriptor, events, most_events, milliseconds);
  return masked_call("epoll_pwait", mask, [&] {
    return WEFT_REAL(epoll_pwait)(descriptor, events, most_events, milliseconds, mask);
  });
}

int epoll_pwait2(int descriptor, epoll_event* events, int most_events, const timespec* time,
                 const sigset_t* mask) {
  const auto call = [&] {
    return WEFT_REAL(epoll_pwait2)(descriptor, events, most_events, time, mask);
  };
  if (mask != nullptr) return masked_call("epoll_pwait2", mask, call);
  if (time != nullptr && !is_valid(*time)) return answer<int>(-EINVAL);
  const os::Instant deadline = time == nullptr ? os::never : deadline_in(*time);
  return blocking_call(
      [&] { return sched::wait_for_events(descriptor, events, most_events, deadline); }, call,
      Restarts::no);
}

// Libc ends the process where the array is too small.

int __poll_chk(pollfd* descriptors, nfds_t count, int milliseconds, size_t bytes) {
  if (is_too_small(bytes, count)) WEFT_REAL(__poll_chk)(descriptors, count, milliseconds, bytes);
  return poll(descriptors, count, milliseconds);
}

int __ppoll_chk(pollfd* descriptors, nfds_t count, const timespec* time, const sigset_t* mask,
                size_t bytes) {
  if (is_too_small(bytes, count)) {
    WEFT_REAL(__ppoll_chk)(descriptors, count, time, mask, bytes);
  }
  return ppoll(descriptors, count, time, mask);
}

}  // extern "C"
