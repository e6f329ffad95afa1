// SPDX-License-Identifier: Apache-2.0
// Waiting for many descriptors at once.
#include <poll.h>

#include <cerrno>

#include "preload/calls.h"
#include "preload/durations.h"
#include "preload/readable.h"
#include "preload/real.h"
#include "sched/io.h"

namespace weft::preload {
namespace {

// Those that the engine reads itself.
bool can_read(const pollfd* descriptors, nfds_t count) {
  return !is_fiber() || count == 0 || is_readable(descriptors);
}

}  // namespace
}  // namespace weft::preload

using namespace weft;
using namespace weft::preload;

extern "C" {

int poll(pollfd* descriptors, nfds_t count, int milliseconds) {
  if (!can_read(descriptors, count)) return answer<int>(-EFAULT);
  const os::Instant deadline = deadline_in_milliseconds(milliseconds);
  return blocking_call([&] { return sched::poll(descriptors, count, deadline); },
                       [&] { return WEFT_REAL(poll)(descriptors, count, milliseconds); },
                       Restarts::no);
}

int ppoll(pollfd* descriptors, nfds_t count, const timespec* time, const sigset_t* mask) {
  const auto call = [&] { return WEFT_REAL(ppoll)(descriptors, count, time, mask); };
  if (mask != nullptr) return masked_call("ppoll", mask, call);
  if (!can_read(descriptors, count)) return answer<int>(-EFAULT);
  if (time != nullptr && !is_valid(*time)) return answer<int>(-EINVAL);
  const os::Instant deadline = time == nullptr ? os::never : deadline_in(*time);
  return blocking_call([&] { return sched::poll(descriptors, count, deadline); }, call,
                       Restarts::no);
}

}  // extern "C"
