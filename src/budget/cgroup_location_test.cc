// SPDX-License-Identifier: Apache-2.0
// From /proc texts to directories; the many layouts of real hosts are in tests/hosts.
#include "budget/cgroup_location.h"

#include <gtest/gtest.h>

namespace weft::budget {
namespace {

using Levels = std::vector<std::string>;

TEST(ProcCgroup, SplitsAtTheFirstTwoColonsOnly) {
  const auto lines = parse_proc_cgroup("4:cpu,cpuacct:/a:b/c\n1:name=systemd:/\n0::/x\nnonsense\n");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].path, "/a:b/c");
  EXPECT_FALSE(lines[1].unified());
  EXPECT_TRUE(lines[2].unified());
}

TEST(ProcCgroup, NamesAreWholeWords) {
  EXPECT_TRUE(list_has("cpu,cpuacct", "cpu"));
  EXPECT_FALSE(list_has("cpuset,cpuacct", "cpu"));
  EXPECT_FALSE(list_has("", "cpu"));
}

TEST(Mountinfo, UnescapesOctal) {
  EXPECT_EQ(unescape_octal("/a\\040b\\134c"), "/a b\\c");
  EXPECT_EQ(unescape_octal("/a\\04"), "/a\\04");
  EXPECT_EQ(unescape_octal("\\999\\777"), "\\999\\777");
}

TEST(Mountinfo, KeepsWhatCanBeSeen) {
  const auto mounts = parse_mountinfo(
      "30 25 0:26 / /sys/fs/cgroup rw shared:4 master:2 - cgroup2 cgroup2 rw,nsdelegate\n"
      "25 1 0:1 / / rw - ext4 /dev/sda rw\n"
      "nonsense\n"
      "31 30 0:27 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
      "32 31 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
  ASSERT_EQ(mounts.size(), 1U) << "the first one is hidden below the tmpfs";
  EXPECT_EQ(mounts[0].version, 1);
  EXPECT_EQ(mounts[0].mount_point, "/sys/fs/cgroup/cpu");
}

TEST(Mountinfo, ALaterMountOnADirectoryAboveHides) {
  const auto mounts = parse_mountinfo(
      "1 0 0:1 / / rw - ext4 /dev/sda rw\n"
      "2 1 0:2 / /mnt/a/cg rw - cgroup2 cgroup2 rw\n"
      "3 1 0:3 / /mnt/a rw - tmpfs tmpfs rw\n");
  EXPECT_TRUE(mounts.empty());
}

TEST(Mountinfo, ACycleOfParentsEnds) {
  EXPECT_EQ(parse_mountinfo("1 2 0:1 / /a rw - cgroup2 none rw\n"
                            "2 1 0:1 / /b rw - cgroup2 none rw\n")
                .size(),
            2U);
}

TEST(Location, WalksFromTheLeafToTheMountPoint) {
  const auto location =
      locate_controller({{0, "", "/a/b", false}}, {{2, "/", "/sys/fs/cgroup", "rw"}}, "cpu");
  EXPECT_EQ(location.version, 2);
  EXPECT_EQ(location.levels, (Levels{"/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"}));
  EXPECT_TRUE(location.reaches_root);
}

TEST(Location, IsRelativeToTheRootOfTheMount) {
  const auto location = locate_controller({{1, "cpu", "/docker/x/y", false}},
                                          {{1, "/docker/x", "/cg/cpu", "rw,cpu"}}, "cpu");
  EXPECT_EQ(location.levels, (Levels{"/cg/cpu/y", "/cg/cpu"}));
  EXPECT_FALSE(location.reaches_root);
}

TEST(Location, TakesTheMountThatShowsTheMost) {
  const auto location = locate_controller(
      {{1, "cpu", "/a/b", false}},
      {{1, "/a/b", "/near", "rw,cpu"}, {1, "/", "/far", "rw,cpu"}, {1, "/a", "/middle", "rw,cpu"}},
      "cpu");
  EXPECT_EQ(location.levels, (Levels{"/far/a/b", "/far/a", "/far"}));
}

TEST(Location, AMountOfWhatIsBelowUsLimitsOthers) {
  const auto location =
      locate_controller({{1, "cpu", "/a", false}}, {{1, "/a/b", "/near", "rw,cpu"}}, "cpu");
  EXPECT_EQ(location.version, 0);
  EXPECT_NE(location.problem.find("below our cgroup"), std::string::npos);
}

TEST(Location, SaysWhyThereIsNone) {
  const auto no_mount = locate_controller({{0, "", "/", false}}, {}, "cpu");
  EXPECT_EQ(no_mount.version, 0);
  EXPECT_EQ(no_mount.problem_where, "mountinfo");
  const auto no_line = locate_controller({}, {{2, "/", "/cg", "rw"}}, "cpu");
  EXPECT_EQ(no_line.version, 0);
  EXPECT_EQ(no_line.problem_where, "cgroup");
}

}  // namespace
}  // namespace weft::budget
