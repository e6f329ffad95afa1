// SPDX-License-Identifier: Apache-2.0
// What a machine means for weft.
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "inspect/machine.h"

namespace weft::inspect {
namespace {

constexpr std::uint64_t wanted_threads = 1'000;
constexpr std::uint64_t mappings_per_thread = 4;  // a stack, its guard, and some for what it maps

using Version = std::pair<unsigned, unsigned>;

// The first two numbers of "6.1.0-18-amd64".
Version version_of(std::string_view text) {
  const auto number = [](std::string_view piece) {
    const auto end = piece.find_first_not_of("0123456789");
    return base::to_number<unsigned>(piece.substr(0, end)).value_or(0);
  };
  const std::string_view major = base::take_until(text, '.');
  return {number(major), number(base::take_until(text, '.'))};
}

Finding judge_kernel(const Machine& machine) {
  const std::string what = "Linux " + machine.kernel_release;
  if (version_of(machine.kernel_release) < Version{5, 4}) {
    return {"kernel", Verdict::no, what + ", and 5.4 is the oldest that weft is made for",
            "use a newer kernel"};
  }
  if (version_of(machine.kernel_release) < Version{5, 10}) {
    return {"kernel", Verdict::slower, what + ": io_uring is young in it",
            "5.10 or newer reads and syncs files better"};
  }
  return {"kernel", Verdict::ok, what};
}

Finding judge_architecture(const Machine& machine) {
  if (machine.architecture == "x86_64") return {"processor", Verdict::ok, "x86_64"};
  return {"processor", Verdict::no, machine.architecture + ", and weft knows x86_64 only",
          "run weft on x86_64"};
}

Finding judge_fsgsbase(const Machine& machine) {
  if (machine.fsgsbase) {
    return {"fsgsbase", Verdict::ok, "a switch sets the thread pointer by an instruction"};
  }
  return {"fsgsbase", Verdict::slower,
          "a switch needs a system call (arch_prctl) to set the thread pointer",
          "use Linux 5.9 or newer, without nofsgsbase on its command line"};
}

Finding judge_glibc(const Machine& machine) {
  if (machine.glibc_version.empty()) {
    return {"glibc", Verdict::no, "another C library than glibc",
            "run weft where glibc is the C library"};
  }
  if (version_of(machine.glibc_version) < Version{2, 34}) {
    return {"glibc", Verdict::no,
            machine.glibc_version +
                ": its threads are in a library of their own, which weft does "
                "not know",
            "use glibc 2.34 or newer (Debian 12, Ubuntu 22.04, RHEL 9)"};
  }
  return {"glibc", Verdict::ok, machine.glibc_version};
}

Finding judge_io_uring(const Machine& machine) {
  if (machine.io_uring_error == 0) {
    return {"io_uring", Verdict::ok,
            "files that are not in memory are read through it, and synced"};
  }
  std::string why = std::strerror(machine.io_uring_error);
  std::string advice = "allow io_uring_setup, io_uring_enter and io_uring_register";
  if (machine.io_uring_error == ENOSYS) {
    why = "the kernel does not have it, or a filter hides it";
    advice = "use Linux 5.1 or newer, or " + advice + " in the container's seccomp profile";
  } else if (machine.io_uring_disabled.value_or(0) != 0) {
    why = "kernel.io_uring_disabled is " + std::to_string(*machine.io_uring_disabled);
    advice =
        "sysctl kernel.io_uring_disabled=0, or add the group of "
        "kernel.io_uring_group where it is 1";
  } else if (machine.io_uring_error == EPERM) {
    why = "not permitted";
    advice += " in the container's seccomp profile";
  } else if (machine.io_uring_error == ENOMEM) {
    advice = "raise the limit of locked memory (ulimit -l)";
  }
  return {"io_uring", Verdict::slower,
          "not to be had (" + why + "): files that are not in memory are read and synced at home",
          advice};
}

Finding judge_epoll(const Machine& machine) {
  if (machine.epoll_error == 0) return {"epoll", Verdict::ok, "sockets and pipes wait in it"};
  return {"epoll", Verdict::slower,
          std::string("not to be had (") + std::strerror(machine.epoll_error) +
              "): every wait for a socket is done at home",
          "allow epoll_create1, and raise the limit of open files (ulimit -n)"};
}

Finding judge_open_files(const Machine& machine) {
  if (!machine.open_files) return {"open files", Verdict::ok, "no limit"};
  const std::uint64_t limit = machine.open_files->value;
  const std::string what = std::to_string(limit) + " (" + machine.open_files->where + ")";
  if (limit >= wanted_threads + 100) return {"open files", Verdict::ok, what};
  const bool can_raise = !machine.open_files_hard || machine.open_files_hard->value > limit;
  return {"open files", Verdict::slower, what + ": too few for 1,000 connections",
          can_raise ? "ulimit -n " +
                          (machine.open_files_hard ? std::to_string(machine.open_files_hard->value)
                                                   : std::string("65536")) +
                          ", or LimitNOFILE= of systemd"
                    : "raise the hard limit: LimitNOFILE= of systemd, --ulimit of the container"};
}

// Each thread of the program keeps a kernel thread as its home.
Finding judge_threads(const Machine& machine) {
  const Limit* tightest = nullptr;
  for (const Limit& limit : machine.threads) {
    if (tightest == nullptr || limit.value < tightest->value) tightest = &limit;
  }
  if (tightest == nullptr) return {"threads", Verdict::ok, "no limit"};
  const std::string what = std::to_string(tightest->value) + " (" + tightest->where + ")";
  if (tightest->value >= wanted_threads + wanted_threads / 4) return {"threads", Verdict::ok, what};
  return {"threads", Verdict::slower,
          what + ": too few for 1,000 threads, each of which has a kernel thread as its home",
          "raise it: TasksMax= of systemd, --pids-limit of the container, ulimit -u, or sysctl, as "
          "its name says"};
}

Finding judge_mappings(const Machine& machine) {
  if (!machine.mappings) return {"mappings", Verdict::ok, "no limit known"};
  const std::string what =
      std::to_string(machine.mappings->value) + " (" + machine.mappings->where + ")";
  if (machine.mappings->value >= wanted_threads * mappings_per_thread * 2) {
    return {"mappings", Verdict::ok, what};
  }
  return {"mappings", Verdict::slower, what + ": too few for the stacks of 1,000 threads",
          "sysctl vm.max_map_count=65530"};
}

Finding judge_memory_reading(const Machine& machine) {
  if (machine.read_own_memory_error != 0) {
    return {"stuck calls", Verdict::slower,
            std::string("process_vm_readv is refused (") +
                std::strerror(machine.read_own_memory_error) +
                "): calls that hold up a worker are counted, but not named",
            "allow process_vm_readv in the container's seccomp profile"};
  }
  if (machine.ptrace_scope.value_or(0) >= 2) {
    return {"stuck calls", Verdict::ok,
            "named with their call site; other processes may be looked at by root only "
            "(kernel.yama.ptrace_scope)"};
  }
  return {"stuck calls", Verdict::ok, "named with their call site"};
}

Finding judge_statistics(const Machine& machine) {
  if (machine.shared_memory_error == 0) {
    return {"statistics", Verdict::ok, "a page in /dev/shm, readable by its owner"};
  }
  return {"statistics", Verdict::slower,
          std::string("no file can be made in /dev/shm (") +
              std::strerror(machine.shared_memory_error) + "): others cannot look on",
          "mount a tmpfs there (--tmpfs /dev/shm of the container)"};
}

Finding judge_shadow_stack(const Machine& machine) {
  if (!machine.shadow_stack) return {"shadow stack", Verdict::ok, "off"};
  return {"shadow stack", Verdict::no, "on for this process, and weft switches stacks",
          "run with GLIBC_TUNABLES=glibc.cpu.x86_shstk=off"};
}

Finding judge_budget(const Machine& machine) {
  return {"CPU budget", Verdict::ok,
          base::to_text(machine.budget_cores) + (machine.budget_cores == 1 ? " core" : " cores") +
              ", from " + machine.budget_source + ": " + std::to_string(machine.budget_threads) +
              (machine.budget_threads == 1 ? " worker" : " workers")};
}

}  // namespace

std::vector<Finding> judge(const Machine& machine) {
  std::vector<Finding> all{
      judge_kernel(machine),       judge_architecture(machine), judge_fsgsbase(machine),
      judge_shadow_stack(machine), judge_glibc(machine),        judge_budget(machine),
      judge_io_uring(machine),     judge_epoll(machine),        judge_open_files(machine),
      judge_threads(machine),      judge_mappings(machine),     judge_memory_reading(machine),
      judge_statistics(machine)};
  all.push_back({"container", Verdict::ok, machine.container});
  return all;
}

}  // namespace weft::inspect
