// SPDX-License-Identifier: Apache-2.0
// Groups are made with their quota, entered, nested, and gone afterwards whatever was left in them.
#include "sandbox/cgroup.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "os/file.h"
#include "sandbox/run.h"

namespace weft::sandbox {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

std::string content(const std::string& path) {
  const auto text = os::read_text(path);
  return text ? std::string(base::trim(*text)) : text.error().message;
}

// The quota as the kernel holds it: "50000 100000", or "max 100000".
std::string quota_of(const Cgroup& group) {
  if (group.version() == 2) return content(group.directory() + "/cpu.max");
  const std::string quota = content(group.directory() + "/cpu.cfs_quota_us");
  return (quota == "-1" ? "max" : quota) + " " + content(group.directory() + "/cpu.cfs_period_us");
}

std::string name_of(const Cgroup& group) {
  return fs::path(group.directory()).filename().string();
}

class CgroupTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = Cgroup::create(Quota{.cores = 0.5});
    if (!made) GTEST_SKIP() << made.error().message;
    group_.emplace(std::move(*made));
  }

  long count_groups_of(pid_t maker) const {
    const std::string prefix = "weft-" + std::to_string(maker) + "-";
    const fs::directory_iterator entries(fs::path(group_->directory()).parent_path());
    return std::count_if(begin(entries), end(entries), [&](const fs::directory_entry& entry) {
      return entry.path().filename().string().starts_with(prefix);
    });
  }

  std::optional<Cgroup> group_;
};

TEST_F(CgroupTest, TheQuotaIsWritten) {
  EXPECT_EQ(quota_of(*group_), "50000 100000");
  ASSERT_TRUE(group_->set_quota(Quota{.cores = 1.5}).ok());
  EXPECT_EQ(quota_of(*group_), "150000 100000");
}

TEST_F(CgroupTest, ThePeriodChangesWithTheQuota) {
  ASSERT_TRUE(group_->set_quota(Quota{.cores = 2, .period = std::chrono::milliseconds(10)}).ok());
  EXPECT_EQ(quota_of(*group_), "20000 10000");
  ASSERT_TRUE(group_->set_quota(Quota{.cores = 0.25, .period = std::chrono::seconds(1)}).ok());
  EXPECT_EQ(quota_of(*group_), "250000 1000000");
}

TEST_F(CgroupTest, TheQuotaIsTakenAway) {
  ASSERT_TRUE(group_->set_quota(std::nullopt).ok());
  EXPECT_EQ(quota_of(*group_), "max 100000");
}

TEST_F(CgroupTest, ARefusedQuotaChangesNothingAndIsExplained) {
  const auto status = group_->set_quota(Quota{.cores = 1, .period = std::chrono::seconds(100)});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, EINVAL);
  EXPECT_NE(status.error().message.find(group_->directory()), std::string::npos);
  EXPECT_NE(status.error().message.find("period of 1 ms to 1 s"), std::string::npos);
  EXPECT_EQ(quota_of(*group_), "50000 100000");
}

TEST_F(CgroupTest, IsPreferred) {
  const auto status = group_->prefer();
  ASSERT_TRUE(status.ok()) << status.error().message;
  const bool version_2 = group_->version() == 2;
  EXPECT_EQ(content(group_->directory() + (version_2 ? "/cpu.weight" : "/cpu.shares")),
            version_2 ? "10000" : "262144");
}

TEST_F(CgroupTest, AProgramRunsInIt) {
  const auto finished = run({"cat", "/proc/self/cgroup"}, {.cgroup = &*group_});
  ASSERT_TRUE(finished.ok()) << finished.error().message;
  EXPECT_NE(finished->output.find("/" + name_of(*group_) + "\n"), std::string::npos)
      << finished->output;
  EXPECT_EQ(content("/proc/self/cgroup").find(name_of(*group_)), std::string::npos);
}

TEST_F(CgroupTest, AProgramRunsInAGroupBelow) {
  const auto child = group_->create_child("leaf", std::nullopt);
  ASSERT_TRUE(child.ok()) << child.error().message;
  EXPECT_EQ(quota_of(*child), "max 100000");
  const auto finished = run({"cat", "/proc/self/cgroup"}, {.cgroup = &*child});
  ASSERT_TRUE(finished.ok()) << finished.error().message;
  EXPECT_NE(finished->output.find("/" + name_of(*group_) + "/leaf\n"), std::string::npos);
}

TEST_F(CgroupTest, AChildWithItsOwnQuota) {
  const auto child = group_->create_child("leaf", Quota{.cores = 0.2});
  ASSERT_TRUE(child.ok()) << child.error().message;
  EXPECT_EQ(quota_of(*child), "20000 100000");
}

TEST_F(CgroupTest, Version1RefusesAChildThatIsLooser) {
  const std::string directory = group_->directory() + "/loose";
  const auto child = group_->create_child("loose", Quota{.cores = 2});
  if (group_->version() == 2) {
    EXPECT_TRUE(child.ok());
    return;
  }
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.error().code, EINVAL);
  EXPECT_NE(child.error().message.find("looser"), std::string::npos) << child.error().message;
  EXPECT_FALSE(exists(directory));
}

TEST_F(CgroupTest, AChildNameCannotLeaveTheGroup) {
  for (const char* const name : {"", ".", "..", "a/b", "../other"}) {
    const auto child = group_->create_child(name, std::nullopt);
    ASSERT_FALSE(child.ok()) << name;
    EXPECT_EQ(child.error().code, EINVAL);
  }
}

TEST_F(CgroupTest, SaysWhichProcessCannotEnter) {
  const auto status = group_->enter(0x7fffffff);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ESRCH);
}

TEST_F(CgroupTest, GoesWithWhatRunsInItAndBelowIt) {
  const std::string directory = group_->directory();
  const std::string script = "sleep 1000 >/dev/null 2>&1 & echo $!";
  const auto above = run({"sh", "-c", script}, {.cgroup = &*group_});
  ASSERT_TRUE(above.ok()) << above.error().message;
  if (group_->version() == 1) {
    ASSERT_EQ(::mkdir((directory + "/left").c_str(), 0755), 0);
    const std::string enter = "echo $$ >" + directory + "/left/cgroup.procs; ";
    const auto below = run({"sh", "-c", enter + script});
    ASSERT_TRUE(below.ok()) << below.error().message;
    EXPECT_NE(content(directory + "/left/cgroup.procs"), "");
  }
  EXPECT_NE(content(directory + "/cgroup.procs").find(base::trim(above->output)),
            std::string::npos);
  group_.reset();
  EXPECT_FALSE(exists(directory));
  const auto sleeper = base::to_number<pid_t>(base::trim(above->output));
  ASSERT_TRUE(sleeper.has_value());
  const std::string stat = content("/proc/" + std::to_string(*sleeper) + "/stat");
  EXPECT_TRUE(stat.find(") Z") != std::string::npos || stat.find("No such") != std::string::npos)
      << stat;
}

TEST_F(CgroupTest, MovesTheCallingProcessBackInsteadOfKillingIt) {
  const std::string before = content("/proc/self/cgroup");
  const std::string directory = group_->directory();
  ASSERT_TRUE(group_->enter().ok());
  EXPECT_NE(content("/proc/self/cgroup"), before);
  group_.reset();
  EXPECT_EQ(content("/proc/self/cgroup"), before);
  EXPECT_FALSE(exists(directory));
}

TEST_F(CgroupTest, LeaveGoesBack) {
  const std::string before = content("/proc/self/cgroup");
  ASSERT_TRUE(group_->enter().ok());
  ASSERT_TRUE(group_->leave().ok());
  EXPECT_EQ(content("/proc/self/cgroup"), before);
}

TEST_F(CgroupTest, AForkedCopyRemovesNothing) {
  const pid_t copy = ::fork();
  ASSERT_GE(copy, 0);
  if (copy == 0) {
    group_.reset();
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(copy, nullptr, 0), copy);
  EXPECT_TRUE(exists(group_->directory()));
}

TEST_F(CgroupTest, MovingKeepsOneOwner) {
  const std::string first = group_->directory();
  auto other = Cgroup::create(std::nullopt);
  ASSERT_TRUE(other.ok()) << other.error().message;
  const std::string second = other->directory();
  EXPECT_NE(first, second);
  EXPECT_TRUE(exists(first));  // create() clears up after the dead only
  *group_ = std::move(*other);
  EXPECT_FALSE(exists(first));
  EXPECT_EQ(group_->directory(), second);
  EXPECT_TRUE(exists(second));
}

TEST_F(CgroupTest, CreateRemovesTheGroupsOfTheDead) {
  const pid_t maker = ::fork();
  ASSERT_GE(maker, 0);
  if (maker == 0) {
    const auto made = Cgroup::create(std::nullopt);
    const bool left_running =
        made.ok() && run({"sh", "-c", "sleep 1000 >/dev/null 2>&1 &"}, {.cgroup = &*made}).ok();
    ::_exit(left_running ? 0 : 1);  // without destructors, as one that is killed
  }
  // Not reaped yet it is not dead, and a test that runs beside this one leaves its groups alone.
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(maker), &ended, WEXITED | WNOWAIT), 0);
  ASSERT_EQ(ended.si_status, 0);
  EXPECT_EQ(count_groups_of(maker), 1);
  ASSERT_EQ(::waitpid(maker, nullptr, 0), maker);
  const auto next = Cgroup::create(std::nullopt);
  ASSERT_TRUE(next.ok()) << next.error().message;
  EXPECT_EQ(count_groups_of(maker), 0);
}

}  // namespace
}  // namespace weft::sandbox
