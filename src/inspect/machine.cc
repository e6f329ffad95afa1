// SPDX-License-Identifier: Apache-2.0
// What weft needs of the machine, asked of the kernel.
#include "inspect/machine.h"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <linux/io_uring.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include <weft/budget.h>

#include "base/text.h"
#include "budget/cgroup_view.h"
#include "budget/host.h"
#include "os/file.h"

namespace weft::inspect {
namespace {

constexpr unsigned long hwcap2_fsgsbase = 1UL << 1;
constexpr int arch_shadow_stack_status = 0x5005;  // ARCH_SHSTK_STATUS, of Linux 6.6

std::optional<std::uint64_t> read_number(const std::string& path) {
  const auto text = os::read_text(path);
  if (!text) return std::nullopt;
  return base::to_number<std::uint64_t>(base::trim(*text));
}

std::optional<Limit> read_limit(const std::string& path, const char* name) {
  const auto number = read_number(path);
  if (!number) return std::nullopt;
  return Limit{name, *number};
}

std::optional<Limit> resource_limit(rlim_t value, const char* name) {
  if (value == RLIM_INFINITY) return std::nullopt;
  return Limit{name, value};
}

int try_io_uring() {
  constexpr unsigned entries = 512;  // as many as the runtime wants
  io_uring_params parameters{};
  const os::Descriptor ring(static_cast<int>(::syscall(SYS_io_uring_setup, entries, &parameters)));
  if (!ring.valid()) return errno;
  // With nothing in it: whether the call is allowed.
  return ::syscall(SYS_io_uring_enter, ring.get(), 0U, 0U, 0U, nullptr, 0) < 0 ? errno : 0;
}

int try_epoll() {
  const os::Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  return epoll.valid() ? 0 : errno;
}

int try_reading_own_memory() {
  int from = 1;
  int to = 0;
  const iovec local{&to, sizeof to};
  const iovec remote{&from, sizeof from};
  return ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) < 0 ? errno : 0;
}

int try_shared_memory() {
  const std::string path = "/dev/shm/weft.doctor." + std::to_string(::getpid());
  const os::Descriptor file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return errno;
  ::unlink(path.c_str());
  return 0;
}

bool has_shadow_stack() {
  unsigned long features = 0;
  return ::syscall(SYS_arch_prctl, arch_shadow_stack_status, &features) == 0 && features != 0;
}

// pids.max of our cgroup and of each one above it.
void add_cgroup_limits(std::vector<Limit>& limits) {
  const budget::Query query;
  const budget::Host host(query);
  budget::Footprint footprint;
  const auto found = find_levels(host, view_cgroups(host), "pids", footprint);
  for (const budget::Level& level : found.levels) {
    const std::string path = level.directory + "/pids.max";
    if (const auto number = read_number(path)) limits.push_back({path, *number});
  }
}

void read_limits(Machine& machine) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    machine.open_files = resource_limit(limit.rlim_cur, "ulimit -n");
    machine.open_files_hard = resource_limit(limit.rlim_max, "ulimit -Hn");
  }
  // Root is not held to it.
  if (::geteuid() != 0 && ::getrlimit(RLIMIT_NPROC, &limit) == 0) {
    if (const auto found = resource_limit(limit.rlim_cur, "ulimit -u")) {
      machine.threads.push_back(*found);
    }
  }
  for (const char* const name : {"threads-max", "pid_max"}) {
    const std::string path = std::string("/proc/sys/kernel/") + name;
    if (const auto found = read_number(path)) machine.threads.push_back({path, *found});
  }
  add_cgroup_limits(machine.threads);
  machine.mappings = read_limit("/proc/sys/vm/max_map_count", "vm.max_map_count");
}

std::string container_name() {
  if (::access("/.dockerenv", F_OK) == 0) return "Docker (/.dockerenv)";
  if (::access("/run/.containerenv", F_OK) == 0) return "Podman (/run/.containerenv)";
  if (const char* const kind = std::getenv("container"); kind != nullptr && *kind != '\0') {
    return base::printable(kind) + " (the variable container)";
  }
  if (std::getenv("KUBERNETES_SERVICE_HOST") != nullptr) {
    return "Kubernetes (the variable KUBERNETES_SERVICE_HOST)";
  }
  return "no sign of one";
}

bool has_system_call_filter() {
  const auto status = os::read_text("/proc/self/status");
  return status && status->find("\nSeccomp:\t2") != std::string::npos;
}

std::string find_container() {
  return container_name() + (has_system_call_filter() ? ", with a filter of system calls" : "");
}

}  // namespace

Machine read_machine() {
  Machine machine;
  utsname name{};
  ::uname(&name);
  machine.kernel_release = name.release;
  machine.architecture = name.machine;
  machine.fsgsbase = (::getauxval(AT_HWCAP2) & hwcap2_fsgsbase) != 0;
  machine.glibc_version = ::gnu_get_libc_version();
  machine.io_uring_error = try_io_uring();
  if (const auto value = read_number("/proc/sys/kernel/io_uring_disabled")) {
    machine.io_uring_disabled = static_cast<int>(*value);
  }
  machine.epoll_error = try_epoll();
  machine.read_own_memory_error = try_reading_own_memory();
  if (const auto value = read_number("/proc/sys/kernel/yama/ptrace_scope")) {
    machine.ptrace_scope = static_cast<int>(*value);
  }
  machine.shared_memory_error = try_shared_memory();
  machine.shadow_stack = has_shadow_stack();
  machine.container = find_container();
  read_limits(machine);
  const budget::Budget owned = budget::read();
  machine.budget_cores = owned.cpu.cores;
  machine.budget_threads = owned.cpu.threads;
  machine.budget_source = owned.cpu.source;
  return machine;
}

}  // namespace weft::inspect
