// SPDX-License-Identifier: Apache-2.0
// Three real cgroups, one in the other, and a test process that goes in and out.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include <weft/budget.h>

#include "sandbox/cgroup.h"
#include "tests/support/affinity.h"

namespace weft::support {

using MaybeQuota = std::optional<sandbox::Quota>;

// Members go in reverse order, so that a child goes before its parent.
struct Nest {
  sandbox::Cgroup grandparent;
  sandbox::Cgroup parent;
  sandbox::Cgroup leaf;
};

inline base::Result<Nest> make_nest(MaybeQuota grandparent, MaybeQuota parent, MaybeQuota leaf) {
  auto top = sandbox::Cgroup::create(grandparent);
  if (!top) return top.error();
  auto middle = top->create_child("parent", parent);
  if (!middle) return middle.error();
  auto bottom = middle->create_child("leaf", leaf);
  if (!bottom) return bottom.error();
  return Nest{std::move(*top), std::move(*middle), std::move(*bottom)};
}

// This process is in the group for as long as this lives.
class Inside {
 public:
  explicit Inside(const sandbox::Cgroup& group) : group_(group) {
    const auto status = group.enter();
    EXPECT_TRUE(status.ok()) << status.error().message;
  }
  ~Inside() {
    const auto status = group_.leave();
    EXPECT_TRUE(status.ok()) << status.error().message;
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  const sandbox::Cgroup& group_;
};

// A variable of our environment, as it was before when this goes.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// Tests in real cgroups. Skipped where none can be made, and where a quota holds us already, which
// would mix with those that a test sets.
class CgroupTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto probe = sandbox::Cgroup::create(std::nullopt);
    if (!probe) GTEST_SKIP() << probe.error().message;
    const budget::Budget here = budget::read();
    if (here.cpu.cores < host_cores()) {
      GTEST_SKIP() << "a quota of " << here.cpu.cores << " holds here already: " << here.cpu.where;
    }
  }

  // What we may use where no quota holds.
  static double host_cores() { return static_cast<double>(allowed_cpus().size()); }

 private:
  const Variable no_pin_{"CPU_LIMIT", nullptr};
};

}  // namespace weft::support
