// SPDX-License-Identifier: Apache-2.0
// Unit tests of the removal of pages that were left behind.
#include "inspect/old_pages.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <string>

namespace weft::inspect {
namespace {

namespace fs = std::filesystem;

// The number of a process that has been and is gone.
pid_t gone_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(OldPages, OnlyThoseOfGoneProcessesAreRemoved) {
  const fs::path folder = fs::path(testing::TempDir()) / ("pages" + std::to_string(::getpid()));
  fs::create_directory(folder);
  const std::string gone = std::to_string(gone_process());
  const std::set<std::string> kept{"weft." + std::to_string(::getpid()), "weft." + gone + ".doctor",
                                   "weft.", "weft.x", "other." + gone};
  for (const std::string& name : kept) std::ofstream(folder / name) << "page";
  std::ofstream(folder / ("weft." + gone)) << "page";

  remove_pages_of_the_gone(folder);

  std::set<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder)) left.insert(entry.path().filename());
  EXPECT_EQ(left, kept);
  fs::remove_all(folder);
}

TEST(OldPages, AFolderThatIsNotThereIsNoMatter) {
  remove_pages_of_the_gone("/nowhere");
}

}  // namespace
}  // namespace weft::inspect
