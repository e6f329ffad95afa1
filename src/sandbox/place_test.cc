// SPDX-License-Identifier: Apache-2.0
// Which cgroup a group is made below, on v1 and on the shapes that v2 hosts have.
#include "sandbox/place.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace weft::sandbox {
namespace {

namespace fs = std::filesystem;

// A v2 hierarchy /, /system.slice, /system.slice/a.service as plain files; we are in the last.
class PlaceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "weft-place-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    slice_ = root_ + "/system.slice";
    service_ = slice_ + "/a.service";
    location_.version = 2;
    location_.levels = {service_, slice_, root_};
    for (const std::string& level : {root_, slice_, service_}) {
      fs::create_directories(level);
      write(level + "/cgroup.procs", "");
      write(level + "/cgroup.controllers", "cpuset cpu memory\n");
      write(level + "/cgroup.subtree_control", "\n");
      if (level != root_) write(level + "/cgroup.type", "domain\n");
    }
  }
  void TearDown() override { fs::remove_all(root_); }

  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }

  std::string root_;
  std::string slice_;
  std::string service_;
  budget::CgroupLocation location_;
};

TEST_F(PlaceTest, Version1IsBelowOurOwnCgroup) {
  location_.version = 1;
  const auto place = choose_place(location_);
  ASSERT_TRUE(place.ok()) << place.error().message;
  EXPECT_EQ(place->parent, service_);
  EXPECT_EQ(place->origin, service_);
  EXPECT_EQ(place->version, 1);
  EXPECT_FALSE(place->must_hand_on);
}

TEST_F(PlaceTest, Version2IsBelowTheNearestThatHandsOnCpu) {
  write(root_ + "/cgroup.subtree_control", "cpu memory\n");
  write(slice_ + "/cgroup.subtree_control", "memory cpu\n");
  const auto place = choose_place(location_);
  ASSERT_TRUE(place.ok()) << place.error().message;
  EXPECT_EQ(place->parent, slice_);
  EXPECT_EQ(place->origin, service_);
  EXPECT_EQ(place->version, 2);
  EXPECT_FALSE(place->must_hand_on);
}

TEST_F(PlaceTest, CpusetIsNotCpu) {
  write(slice_ + "/cgroup.subtree_control", "cpuset\n");
  write(root_ + "/cgroup.subtree_control", "cpu\n");
  const auto place = choose_place(location_);
  ASSERT_TRUE(place.ok()) << place.error().message;
  EXPECT_EQ(place->parent, root_);
}

TEST_F(PlaceTest, TheRootIsToldToHandOn) {
  const auto place = choose_place(location_);
  ASSERT_TRUE(place.ok()) << place.error().message;
  EXPECT_EQ(place->parent, root_);
  EXPECT_TRUE(place->must_hand_on);
}

TEST_F(PlaceTest, ARootWithoutCpuCannotHandItOn) {
  write(root_ + "/cgroup.controllers", "memory\n");
  const auto place = choose_place(location_);
  ASSERT_FALSE(place.ok());
  EXPECT_NE(place.error().message.find(service_), std::string::npos);
}

TEST_F(PlaceTest, AContainersTopIsNoRootAndHoldsProcesses) {
  location_.levels = {slice_};  // what a cgroup namespace shows as "/"
  const auto place = choose_place(location_);
  ASSERT_FALSE(place.ok());
  EXPECT_NE(place.error().message.find("it holds processes"), std::string::npos);
  EXPECT_NE(place.error().message.find("run as root"), std::string::npos);
}

TEST_F(PlaceTest, AHostWithoutCgroupsSaysWhatIsMissing) {
  location_ = {};
  location_.problem = "no cgroup hierarchy is mounted";
  const auto place = choose_place(location_);
  ASSERT_FALSE(place.ok());
  EXPECT_NE(place.error().message.find("no cgroup hierarchy is mounted"), std::string::npos);
}

}  // namespace
}  // namespace weft::sandbox
