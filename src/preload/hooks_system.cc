// SPDX-License-Identifier: Apache-2.0
// syscall(): what waits is done as by the functions of libc, and what belongs to a thread at home.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdarg>
#include <cstring>
#include <ctime>

#include "os/memory.h"
#include "os/own_descriptors.h"
#include "preload/direct_call.h"
#include "preload/durations.h"
#include "preload/forking.h"
#include "preload/identity.h"
#include "preload/inheritance.h"
#include "preload/readable.h"
#include "preload/renewed.h"
#include "preload/shared_memory.h"
#include "sched/files.h"
#include "sched/io.h"
#include "sched/park.h"

namespace weft::preload {
namespace {

using sched::Direction;

long message_call(const DirectCall& call, Direction direction, int flags_index) {
  return call.waiting([&] {
    return sched::transfer_message(call.integer(0), direction, call.integer(flags_index),
                                   [&](int flags) {
                                     DirectCall tried = call;
                                     tried.arguments[flags_index] = flags;
                                     return tried.here();
                                   });
  });
}

long poll_call(const DirectCall& call, os::Instant deadline) {
  return call.waiting([&] { return sched::poll(call.pointer<pollfd>(0), call.size(1), deadline); },
                      Restarts::no);
}

// poll(), ppoll() without a mask.
long ppoll_call(const DirectCall& call) {
  const auto* const time = call.pointer<const timespec>(2);
  if (call.arguments[3] != 0 || (time != nullptr && !is_readable(time))) return call.at_home();
  if (time != nullptr && !is_valid(*time)) return -EINVAL;
  return poll_call(call, time == nullptr ? os::never : deadline_in(*time));
}

long epoll_call(const DirectCall& call) {
  const os::Instant deadline = deadline_in_milliseconds(call.integer(3));
  return call.waiting(
      [&] {
        return sched::wait_for_events(call.integer(0), call.pointer<epoll_event>(1),
                                      call.integer(2), deadline);
      },
      Restarts::no);
}

long sleep_call(const DirectCall& call, const timespec* time, timespec* left) {
  if (!is_fiber()) return call.here();
  if (!is_readable(time)) return -EFAULT;
  if (!is_valid(*time)) return -EINVAL;
  const os::Instant end = deadline_in(*time);
  const long result = call.waiting(
      [&] {
        sched::sleep_until(end);
        return end == os::never || os::MonotonicClock::now() < end ? long{-EINTR} : 0;
      },
      Restarts::no);
  if (result == -EINTR && left != nullptr) *left = left_until(end);
  return result;
}

long fcntl_call(const DirectCall& call) {
  if (os::OwnDescriptor::is_own(call.integer(0))) return -EBADF;
  const int command = call.integer(1);
  if (command == F_SETLKW || command == F_OFD_SETLKW) return call.at_home();
  const long result = call.here();
  if (command == F_SETFL) sched::Poller::limits_changed();
  return result;
}

long ioctl_call(const DirectCall& call) {
  const long result = call.here();
  if (call.arguments[1] == FIONBIO) sched::Poller::limits_changed();
  return result;
}

// What libc's functions answer, as the kernel does.
long result_of(long result) {
  return result < 0 ? -errno : result;
}

long signal_call(const DirectCall& call, int id, int signal) {
  const fiber::Fiber* const fiber = signal == 0 ? nullptr : fiber_by_id(id);
  if (fiber == nullptr) return call.here();
  return -::pthread_kill(reinterpret_cast<pthread_t>(fiber->thread_pointer), signal);
}

// The kernel's sets are shorter than libc's.
long mask_call(const DirectCall& call) {
  const auto* const set = call.pointer<const SignalBits>(1);
  auto* const before = call.pointer<SignalBits>(2);
  if (call.size(3) != sizeof(SignalBits)) return -EINVAL;
  if ((set != nullptr && !is_readable(set)) || (before != nullptr && !is_readable(before))) {
    return -EFAULT;
  }
  sigset_t wanted{}, had{};
  if (set != nullptr) std::memcpy(&wanted, set, sizeof(*set));
  const int error = ::pthread_sigmask(call.integer(0), set != nullptr ? &wanted : nullptr, &had);
  if (error == 0 && before != nullptr) std::memcpy(before, &had, sizeof(*before));
  return -error;
}

// Those that wait in a way of ours, or that the engine must hear of.
bool answer_by_engine(const DirectCall& call, long& result) {
  const int descriptor = call.integer(0);
  switch (call.number) {
    case SYS_futex:
      result = futex_call(call);
      return true;
    case SYS_futex_waitv:
      // The words of the process are in our table. Who uses it can do without, as older kernels
      // do not have it.
      result = -ENOSYS;
      return true;
    case SYS_gettid:
      result = is_fiber() ? static_cast<long>(fiber::self().id.load()) : call.here();
      return true;
    case SYS_read:
      result = call.waiting(
          [&] { return sched::read(descriptor, call.pointer<void>(1), call.size(2)); });
      return true;
    case SYS_write:
      result = call.waiting(
          [&] { return sched::write(descriptor, call.pointer<void>(1), call.size(2)); });
      return true;
    case SYS_readv:
      result = call.waiting(
          [&] { return sched::read_vector(descriptor, call.pointer<iovec>(1), call.size(2)); });
      return true;
    case SYS_writev:
      result = call.waiting(
          [&] { return sched::write_vector(descriptor, call.pointer<iovec>(1), call.size(2)); });
      return true;
    case SYS_pread64:
      result = call.waiting([&] {
        return sched::read_at(descriptor, call.pointer<void>(1), call.size(2), call.arguments[3]);
      });
      return true;
    case SYS_fsync:
      result = sched::synchronize(descriptor);
      return true;
    case SYS_fdatasync:
      result = sched::synchronize_data(descriptor);
      return true;
    case SYS_recvfrom:
      result = message_call(call, Direction::read, 3);
      return true;
    case SYS_sendto:
      result = message_call(call, Direction::write, 3);
      return true;
    case SYS_recvmsg:
      result = received_renewed(call.waiting([&] {
        return sched::receive_message(descriptor, call.pointer<msghdr>(1), call.integer(2));
      }),
                                call.pointer<msghdr>(1));
      return true;
    case SYS_sendmsg:
      result = call.waiting([&] {
        return sched::send_message(descriptor, call.pointer<msghdr>(1), call.integer(2));
      });
      return true;
    case SYS_accept:
    case SYS_accept4:
      result = renewed(call.waiting([&] {
        return sched::accept(descriptor, call.pointer<sockaddr>(1), call.pointer<socklen_t>(2),
                             call.number == SYS_accept ? 0 : call.integer(3));
      }));
      return true;
    case SYS_poll:
      result = poll_call(call, deadline_in_milliseconds(call.integer(2)));
      return true;
    case SYS_ppoll:
      result = ppoll_call(call);
      return true;
    case SYS_epoll_wait:
      result = epoll_call(call);
      return true;
    case SYS_epoll_pwait:
      result = call.arguments[4] == 0 ? epoll_call(call) : call.at_home();
      return true;
    case SYS_clock_gettime:
      result = result_of(::clock_gettime(call.integer(0), call.pointer<timespec>(1)));
      return true;
    case SYS_getrusage:
      result = result_of(
          ::getrusage(static_cast<__rusage_who_t>(call.integer(0)), call.pointer<rusage>(1)));
      return true;
    case SYS_sigaltstack:
      result = result_of(::sigaltstack(call.pointer<stack_t>(0), call.pointer<stack_t>(1)));
      return true;
    case SYS_nanosleep:
      result = sleep_call(call, call.pointer<timespec>(0), call.pointer<timespec>(1));
      return true;
    case SYS_clock_nanosleep:
      result = call.arguments[0] == CLOCK_MONOTONIC && call.arguments[1] == 0
                   ? sleep_call(call, call.pointer<timespec>(2), call.pointer<timespec>(3))
                   : call.at_home();
      return true;
    case SYS_sched_yield:
      sched::yield();
      result = 0;
      return true;
    case SYS_close:
      result = result_of(::close(descriptor));
      return true;
    case SYS_dup2:
      result = result_of(::dup2(descriptor, call.integer(1)));
      return true;
    case SYS_dup3:
      result = result_of(::dup3(descriptor, call.integer(1), call.integer(2)));
      return true;
    case SYS_close_range:
      result = result_of(::close_range(static_cast<unsigned>(descriptor),
                                       static_cast<unsigned>(call.integer(1)), call.integer(2)));
      return true;
    case SYS_tkill:
      result = signal_call(call, call.integer(0), call.integer(1));
      return true;
    case SYS_tgkill:
      result = call.arguments[0] == os::call(SYS_getpid)
                   ? signal_call(call, call.integer(1), call.integer(2))
                   : call.here();
      return true;
    case SYS_rt_sigprocmask:
      result = mask_call(call);
      return true;
    case SYS_fork:
    case SYS_vfork:
      result = result_of(fork_without_handlers());
      return true;
    case SYS_clone:
      if (call.arguments[0] != SIGCHLD || call.arguments[1] != 0) return false;
      result = result_of(fork_without_handlers());
      return true;
    case SYS_fcntl:
      result = fcntl_call(call);
      return true;
    case SYS_ioctl:
      result = ioctl_call(call);
      return true;
    case SYS_setsockopt:
      result = sched::set_option(descriptor, call.integer(1), call.integer(2),
                                 call.pointer<void>(3), static_cast<socklen_t>(call.arguments[4]));
      return true;
    case SYS_mmap:
      result = call.here();
      if (os::is_mapped(result)) {
        note_mapping(reinterpret_cast<void*>(result), call.size(1), call.integer(3));
      }
      return true;
    case SYS_socket:
    case SYS_dup:
    case SYS_eventfd2:
    case SYS_epoll_create1:
    case SYS_timerfd_create:
    case SYS_inotify_init1:
    case SYS_memfd_create:
    case SYS_pidfd_open:
    case SYS_io_uring_setup:
      result = renewed(call.here());
      return true;
    default:
      return false;
  }
}

// What threads inherit.
bool changes_attributes(const DirectCall& call) {
  switch (call.number) {
    case SYS_setpriority:
    case SYS_ioprio_set:
    case SYS_sched_setaffinity:
    case SYS_sched_setscheduler:
    case SYS_sched_setparam:
    case SYS_sched_setattr:
    case SYS_set_mempolicy:
      return true;
    case SYS_prctl:
      return call.arguments[0] == PR_SET_NAME || call.arguments[0] == PR_SET_TIMERSLACK;
    default:
      return false;
  }
}

// Those that are about the calling kernel thread itself, and those that wait in no way of ours.
bool is_made_at_home(long number) {
  switch (number) {
    case SYS_select:
    case SYS_pselect6:
    case SYS_epoll_pwait2:
    case SYS_connect:
    case SYS_recvmmsg:
    case SYS_sendmmsg:
    case SYS_pwrite64:
    case SYS_preadv:
    case SYS_pwritev:
    case SYS_preadv2:
    case SYS_pwritev2:
    case SYS_sync:
    case SYS_syncfs:
    case SYS_sync_file_range:
    case SYS_msync:
    case SYS_fallocate:
    case SYS_flock:
    case SYS_sendfile:
    case SYS_splice:
    case SYS_tee:
    case SYS_vmsplice:
    case SYS_copy_file_range:
    case SYS_mq_timedsend:
    case SYS_mq_timedreceive:
    case SYS_msgrcv:
    case SYS_msgsnd:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_io_uring_enter:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_rt_sigtimedwait:
    case SYS_exit:
    case SYS_execve:
    case SYS_execveat:
    case SYS_prctl:
    case SYS_ptrace:
    case SYS_capget:
    case SYS_getpriority:
    case SYS_setpriority:
    case SYS_ioprio_get:
    case SYS_ioprio_set:
    case SYS_sched_getaffinity:
    case SYS_sched_setaffinity:
    case SYS_sched_getscheduler:
    case SYS_sched_setscheduler:
    case SYS_sched_getparam:
    case SYS_sched_setparam:
    case SYS_sched_getattr:
    case SYS_sched_setattr:
    case SYS_sched_rr_get_interval:
    case SYS_get_mempolicy:
    case SYS_set_mempolicy:
    case SYS_set_tid_address:
    case SYS_set_robust_list:
    case SYS_get_robust_list:
    case SYS_perf_event_open:
      return true;
    default:
      return false;
  }
}

}  // namespace
}  // namespace weft::preload

using namespace weft::preload;

extern "C" {

int tgkill(pid_t process, pid_t id, int signal) {
  return static_cast<int>(syscall(SYS_tgkill, process, id, signal));
}

long syscall(long number, ...) noexcept {
  DirectCall call{.number = number, .arguments = {}};
  va_list list;
  va_start(list, number);
  for (long& argument : call.arguments) argument = va_arg(list, long);
  va_end(list);
  long result = 0;
  if (is_about_identity(number) || (number == SYS_prctl && is_about_identity(call.integer(0)))) {
    keep_own_identity();
  }
  if (changes_attributes(call)) note_own_attributes();
  if (!answer_by_engine(call, result)) {
    result = is_made_at_home(number) ? call.at_home() : call.here();
  }
  return answer<long>(result);
}

}  // extern "C"
