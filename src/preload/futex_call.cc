// SPDX-License-Identifier: Apache-2.0
// The futex call, made by syscall().
//
// Words that are the process's own are in the table of the engine, for fibers and all others: those
// with the private flag, and those without it that are not in shared memory. Who waits without
// syscall() (libc, libgomp) waits in the kernel, and is woken there by its own.
#include <linux/futex.h>

#include <algorithm>
#include <cerrno>

#include "preload/clocks.h"
#include "preload/direct_call.h"
#include "preload/durations.h"
#include "preload/readable.h"
#include "preload/shared_memory.h"
#include "sync/futex_table.h"

namespace weft::preload {
namespace {

namespace table = sync::futex_table;

bool is_misaligned(const void* word) {
  return reinterpret_cast<std::uintptr_t>(word) % sizeof(std::uint32_t) != 0;
}

// Waits, or asks who the calling thread is.
bool belongs_home(int command) {
  switch (command) {
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_WAKE_OP:
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
    case FUTEX_CMP_REQUEUE_PI:
      return false;
    default:
      return true;
  }
}

// Wakes those who wait in the table. Without the private flag others may wait in the kernel: they
// had been waiting when the memory became shared, or wait by instructions of their own.
long wake(const DirectCall& call, std::uint32_t bits) {
  const int wanted = call.integer(2);
  const int woken = table::wake(*call.pointer<table::Word>(0), wanted, bits);
  if ((call.integer(1) & FUTEX_PRIVATE_FLAG) != 0 || woken >= wanted) return woken;
  DirectCall others = call;
  others.arguments[2] = wanted - woken;
  const long result = others.here();
  return result < 0 && woken == 0 ? result : woken + std::max(result, 0L);
}

// Waits until woken; handlers of signals run meanwhile.
long wait(const DirectCall& call, std::uint32_t bits, const sync::Deadline& deadline) {
  const auto& word = *call.pointer<const table::Word>(0);
  const auto expected = static_cast<std::uint32_t>(call.arguments[2]);
  const auto wait_once = [&](const sync::Deadline& until) -> long {
    return -table::wait(word, expected, bits, until);
  };
  for (;;) {
    const long result = wait_once(deadline.or_interrupt());
    if (result != -ETIMEDOUT || !deadline.park_until()) return result;
    std::uint32_t wanted = 0;
    if (act_on_signals(wanted) == AfterInterrupt::fail) return -EINTR;
    if ((wanted & Interrupt::cancel) != 0) return wait_once(deadline);  // no cancellation point
  }
}

long wait(const DirectCall& call, int command, bool realtime) {
  const auto* const time = call.pointer<const timespec>(3);
  sync::Deadline deadline = sync::Deadline::none;
  if (time != nullptr) {
    if (!is_readable(time)) return -EFAULT;
    if (!is_valid(*time)) return -EINVAL;
    const bool is_relative = command == FUTEX_WAIT;
    const os::Instant end = is_relative ? deadline_in(*time) : os::never;
    if (end != os::never) deadline = sync::Deadline::at(end);
    if (!is_relative) deadline = deadline_of(realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC, *time);
  }
  const auto bits =
      command == FUTEX_WAIT ? table::any_bit : static_cast<std::uint32_t>(call.arguments[5]);
  if (bits == 0 || is_misaligned(call.pointer<void>(0))) return -EINVAL;
  if (!is_readable(call.pointer<void>(0))) return -EFAULT;
  return wait(call, bits, deadline);
}

long requeue(const DirectCall& call, const std::uint32_t* expected) {
  if (is_misaligned(call.pointer<void>(4)) || call.integer(2) < 0 || call.integer(3) < 0) {
    return -EINVAL;
  }
  if (expected != nullptr && !is_readable(call.pointer<void>(0))) return -EFAULT;
  return table::requeue(*call.pointer<table::Word>(0), call.integer(2),
                        *call.pointer<table::Word>(4), call.integer(3), expected);
}

}  // namespace

long futex_call(const DirectCall& call) noexcept {
  const int command = call.integer(1) & FUTEX_CMD_MASK;
  const bool is_private =
      (call.integer(1) & FUTEX_PRIVATE_FLAG) != 0 || !shared_memory.has(call.pointer<void>(0));
  const bool realtime = (call.integer(1) & FUTEX_CLOCK_REALTIME) != 0;
  const bool waits = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
  if (!is_private || (realtime && !waits)) {
    return belongs_home(command) ? call.at_home() : call.here();
  }
  if (waits) return wait(call, command, realtime);
  auto& word = *call.pointer<table::Word>(0);
  const auto third = static_cast<std::uint32_t>(call.arguments[5]);
  if (!belongs_home(command) && is_misaligned(&word)) return -EINVAL;
  switch (command) {
    case FUTEX_WAKE:
      return wake(call, table::any_bit);
    case FUTEX_WAKE_BITSET:
      return third == 0 ? -EINVAL : wake(call, third);
    case FUTEX_REQUEUE:
      return requeue(call, nullptr);
    case FUTEX_CMP_REQUEUE:
      return requeue(call, &third);
    case FUTEX_WAKE_OP:
      if (is_misaligned(call.pointer<void>(4))) return -EINVAL;
      if (!is_readable(call.pointer<void>(4))) return -EFAULT;
      return table::wake_operation(word, call.integer(2), *call.pointer<table::Word>(4),
                                   call.integer(3), third);
    default:
      return call.at_home();
  }
}

}  // namespace weft::preload
