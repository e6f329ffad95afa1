// SPDX-License-Identifier: Apache-2.0
// How many CPUs there are, where a thread may run and does, and who it is to the kernel.
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "os/system_call.h"
#include "preload/calls.h"
#include "preload/cpu_set.h"
#include "preload/inheritance.h"
#include "preload/options.h"
#include "preload/process.h"
#include "preload/real.h"

namespace weft::preload {
namespace {

bool tells_host() {
  return options().host_cpus;
}

int told_cpus() {
  const sched::Runtime* const started = runtime();
  return static_cast<int>(started != nullptr ? started->workers() : cpu_count());
}

// The kernel's id of the calling thread: its home's.
pid_t own_id() {
  if (is_fiber()) return static_cast<pid_t>(fiber::self().id.load(std::memory_order_relaxed));
  return static_cast<pid_t>(os::call(SYS_gettid));
}

// 0 is the calling thread, which the kernel takes for the carrier.
pid_t named(pid_t id) {
  return id == 0 && is_fiber() ? own_id() : id;
}

bool is_ours(pid_t id) {
  return id == 0 || os::call(SYS_tgkill, os::call(SYS_getpid), id, 0) == 0;
}

void narrow(std::size_t bytes, cpu_set_t* set) {
  if (!tells_host()) narrow_to(static_cast<unsigned>(told_cpus()), bytes, set);
}

long current_cpu(unsigned* cpu, unsigned* node) {
  const auto ask = [&] { return os::call(SYS_getcpu, cpu, node, nullptr); };
  const bool only_home_knows = is_fiber() && program_binds_threads();
  return only_home_knows ? sched::at_home("getcpu of a bound thread", ask) : ask();
}

}  // namespace
}  // namespace weft::preload

using namespace weft;
using namespace weft::preload;

extern "C" {

long sysconf(int name) noexcept {
  // Those that are configured are the host's: programs have tables by the number of a CPU.
  const bool counts_cpus = name == _SC_NPROCESSORS_ONLN;
  return counts_cpus && !tells_host() ? told_cpus() : WEFT_REAL(sysconf)(name);
}

int get_nprocs() noexcept {
  return tells_host() ? WEFT_REAL(get_nprocs)() : told_cpus();
}

int sched_getaffinity(pid_t id, size_t bytes, cpu_set_t* set) noexcept {
  const int result = WEFT_REAL(sched_getaffinity)(named(id), bytes, set);
  if (result == 0 && is_ours(id)) narrow(bytes, set);
  return result;
}

int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t* set) noexcept {
  const int error = WEFT_REAL(pthread_getaffinity_np)(thread, bytes, set);
  if (error == 0) narrow(bytes, set);
  return error;
}

int sched_setaffinity(pid_t id, size_t bytes, const cpu_set_t* set) noexcept {
  note_binding();
  return WEFT_REAL(sched_setaffinity)(named(id), bytes, set);
}

int pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t* set) noexcept {
  note_binding();
  return WEFT_REAL(pthread_setaffinity_np)(thread, bytes, set);
}

int sched_getcpu() noexcept {
  unsigned cpu = 0;
  const long error = current_cpu(&cpu, nullptr);
  return error == 0 ? static_cast<int>(cpu) : answer<int>(error);
}

int getcpu(unsigned* cpu, unsigned* node) noexcept {
  return answer<int>(current_cpu(cpu, node));
}

pid_t gettid() noexcept {
  return own_id();
}

int sched_setscheduler(pid_t id, int policy, const sched_param* parameter) noexcept {
  note_own_attributes();
  return WEFT_REAL(sched_setscheduler)(named(id), policy, parameter);
}

int sched_getscheduler(pid_t id) noexcept {
  return WEFT_REAL(sched_getscheduler)(named(id));
}

int sched_setparam(pid_t id, const sched_param* parameter) noexcept {
  note_own_attributes();
  return WEFT_REAL(sched_setparam)(named(id), parameter);
}

int sched_getparam(pid_t id, sched_param* parameter) noexcept {
  return WEFT_REAL(sched_getparam)(named(id), parameter);
}

int sched_rr_get_interval(pid_t id, timespec* time) noexcept {
  return WEFT_REAL(sched_rr_get_interval)(named(id), time);
}

int getpriority(__priority_which_t which, id_t id) noexcept {
  const id_t who = which == PRIO_PROCESS ? static_cast<id_t>(named(static_cast<pid_t>(id))) : id;
  return WEFT_REAL(getpriority)(which, who);
}

int setpriority(__priority_which_t which, id_t id, int priority) noexcept {
  const id_t who = which == PRIO_PROCESS ? static_cast<id_t>(named(static_cast<pid_t>(id))) : id;
  note_own_attributes();
  return WEFT_REAL(setpriority)(which, who, priority);
}

int pthread_setschedparam(pthread_t thread, int policy, const sched_param* parameter) noexcept {
  note_own_attributes();
  return WEFT_REAL(pthread_setschedparam)(thread, policy, parameter);
}

int pthread_setschedprio(pthread_t thread, int priority) noexcept {
  note_own_attributes();
  return WEFT_REAL(pthread_setschedprio)(thread, priority);
}

int nice(int increment) noexcept {
  note_own_attributes();
  const auto call = [&] { return WEFT_REAL(nice)(increment); };
  return is_fiber() ? sched::at_home("nice", call) : call();
}

}  // extern "C"
