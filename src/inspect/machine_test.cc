// SPDX-License-Identifier: Apache-2.0
// Unit tests of judging machines, most of which nobody has at hand.
#include "inspect/machine.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <functional>

namespace weft::inspect {
namespace {

Machine good_machine() {
  Machine machine;
  machine.kernel_release = "6.1.0-18-amd64";
  machine.architecture = "x86_64";
  machine.fsgsbase = true;
  machine.glibc_version = "2.36";
  machine.open_files = Limit{"ulimit -n", 65'536};
  machine.threads = {{"threads-max", 60'000}, {"pids.max", 9'000}};
  machine.mappings = Limit{"vm.max_map_count", 65'530};
  machine.budget_cores = 1.5;
  machine.budget_threads = 1;
  machine.budget_source = "cgroup v2 quota";
  return machine;
}

Finding finding_about(const std::string& subject, const std::function<void(Machine&)>& change) {
  Machine machine = good_machine();
  change(machine);
  for (const Finding& finding : judge(machine)) {
    if (finding.subject == subject) return finding;
  }
  return {"there is no such line: " + subject, Verdict::ok, ""};
}

// It has this verdict, and says what to do.
void expect(Verdict verdict, const std::string& subject, const std::string& text,
            const std::function<void(Machine&)>& change) {
  const Finding finding = finding_about(subject, change);
  EXPECT_EQ(finding.subject, subject);
  EXPECT_EQ(finding.verdict, verdict) << finding.what;
  EXPECT_NE((finding.what + finding.advice).find(text), std::string::npos)
      << finding.what << " -> " << finding.advice;
  EXPECT_EQ(finding.advice.empty(), verdict == Verdict::ok) << finding.advice;
}

TEST(MachineFindings, AGoodOneHasNothingToDo) {
  for (const Finding& finding : judge(good_machine())) {
    EXPECT_EQ(finding.verdict, Verdict::ok) << finding.subject;
    EXPECT_EQ(finding.advice, "");
  }
}

TEST(MachineFindings, Kernels) {
  expect(Verdict::no, "kernel", "4.19",
         [](Machine& machine) { machine.kernel_release = "4.19.0"; });
  expect(Verdict::slower, "kernel", "5.4",
         [](Machine& machine) { machine.kernel_release = "5.4.0-150-generic"; });
  expect(Verdict::ok, "kernel", "5.10", [](Machine& machine) { machine.kernel_release = "5.10"; });
  expect(Verdict::no, "kernel", "strange",
         [](Machine& machine) { machine.kernel_release = "strange"; });
}

TEST(MachineFindings, ProcessorAndLibc) {
  expect(Verdict::no, "processor", "aarch64",
         [](Machine& machine) { machine.architecture = "aarch64"; });
  expect(Verdict::slower, "fsgsbase", "arch_prctl",
         [](Machine& machine) { machine.fsgsbase = false; });
  expect(Verdict::no, "glibc", "2.31", [](Machine& machine) { machine.glibc_version = "2.31"; });
  expect(Verdict::no, "glibc", "another", [](Machine& machine) { machine.glibc_version = ""; });
  expect(Verdict::ok, "glibc", "2.34", [](Machine& machine) { machine.glibc_version = "2.34"; });
  expect(Verdict::no, "shadow stack", "x86_shstk=off",
         [](Machine& machine) { machine.shadow_stack = true; });
}

TEST(MachineFindings, IoUringAndWhyNot) {
  expect(Verdict::slower, "io_uring", "does not have it",
         [](Machine& machine) { machine.io_uring_error = ENOSYS; });
  expect(Verdict::slower, "io_uring", "seccomp",
         [](Machine& machine) { machine.io_uring_error = EPERM; });
  expect(Verdict::slower, "io_uring", "kernel.io_uring_disabled=0", [](Machine& machine) {
    machine.io_uring_error = EPERM;
    machine.io_uring_disabled = 2;
  });
  expect(Verdict::slower, "io_uring", "ulimit -l",
         [](Machine& machine) { machine.io_uring_error = ENOMEM; });
}

TEST(MachineFindings, Limits) {
  expect(Verdict::slower, "open files", "ulimit -n 4096", [](Machine& machine) {
    machine.open_files = Limit{"ulimit -n", 1'024};
    machine.open_files_hard = Limit{"ulimit -Hn", 4'096};
  });
  expect(Verdict::slower, "open files", "hard limit", [](Machine& machine) {
    machine.open_files = machine.open_files_hard = Limit{"ulimit -n", 1'024};
  });
  expect(Verdict::ok, "open files", "no limit",
         [](Machine& machine) { machine.open_files.reset(); });
  expect(Verdict::slower, "threads", "512 (pids.max)", [](Machine& machine) {
    machine.threads.push_back({"pids.max", 512});
  });
  expect(Verdict::ok, "threads", "9000 (pids.max)", [](Machine&) {});
  expect(Verdict::slower, "mappings", "vm.max_map_count", [](Machine& machine) {
    machine.mappings = Limit{"vm.max_map_count", 4'000};
  });
}

TEST(MachineFindings, WhatLookingOnNeeds) {
  expect(Verdict::slower, "stuck calls", "process_vm_readv",
         [](Machine& machine) { machine.read_own_memory_error = EPERM; });
  expect(Verdict::ok, "stuck calls", "ptrace_scope",
         [](Machine& machine) { machine.ptrace_scope = 2; });
  expect(Verdict::slower, "statistics", "/dev/shm",
         [](Machine& machine) { machine.shared_memory_error = EROFS; });
  expect(Verdict::slower, "epoll", "at home",
         [](Machine& machine) { machine.epoll_error = EMFILE; });
}

TEST(MachineFindings, BudgetAndContainer) {
  expect(Verdict::ok, "CPU budget", "1.5 cores, from cgroup v2 quota: 1 worker", [](Machine&) {});
  expect(Verdict::ok, "container", "Docker",
         [](Machine& machine) { machine.container = "Docker"; });
}

TEST(Machine, IsRead) {
  const Machine machine = read_machine();
  EXPECT_FALSE(machine.kernel_release.empty());
  EXPECT_EQ(machine.architecture, "x86_64");
  EXPECT_GT(machine.budget_cores, 0);
  EXPECT_FALSE(machine.glibc_version.empty());
}

}  // namespace
}  // namespace weft::inspect
