// SPDX-License-Identifier: Apache-2.0
// Programs are found as a shell finds them, and temporary files go.
#include "bench/rivals.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "os/file.h"

namespace weft::bench {
namespace {

// PATH as it was, when the test is over.
class PathVariable {
 public:
  explicit PathVariable(const std::string& value) {
    if (const char* const before = std::getenv("PATH")) before_ = before;
    setenv("PATH", value.c_str(), 1);
  }
  ~PathVariable() { setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

TEST(Rivals, AProgramIsAnExecutableFileInPath) {
  const auto directory = TemporaryDirectory::create();
  ASSERT_TRUE(directory);
  const auto program = directory->write("weft-rival", "#!/bin/sh\n");
  ASSERT_TRUE(program);
  std::filesystem::create_directory(directory->path() / "weft-folder");
  const PathVariable path("/nowhere:" + directory->path().string());
  EXPECT_EQ(find_program("weft-rival"), "") << "not executable";
  std::filesystem::permissions(*program, std::filesystem::perms::owner_all);
  EXPECT_EQ(find_program("weft-rival"), *program);
  EXPECT_EQ(find_program("weft-folder"), "");
  EXPECT_EQ(find_program("weft-absent"), "");
}

TEST(Rivals, MissingOnesAreNamedWithTheRemedy) {
  EXPECT_EQ(missing_rivals({"Go", "Node"}).message,
            "rivals not installed: Go, Node (looked in PATH); install them with `scripts/deps "
            "bench`, or leave them out with --allow-missing");
}

TEST(TemporaryDirectory, GoesWithWhatIsInIt) {
  std::filesystem::path path;
  {
    auto directory = TemporaryDirectory::create();
    ASSERT_TRUE(directory);
    path = directory->path();
    const auto file = directory->write("a", "text");
    ASSERT_TRUE(file);
    EXPECT_EQ(*os::read_text(*file), "text");
    const TemporaryDirectory moved = std::move(*directory);
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryDirectory, AFileThatCannotBeWrittenIsAnError) {
  const auto directory = TemporaryDirectory::create();
  ASSERT_TRUE(directory);
  EXPECT_FALSE(directory->write("no/such/folder", ""));
}

}  // namespace
}  // namespace weft::bench
