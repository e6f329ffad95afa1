// SPDX-License-Identifier: Apache-2.0
// Progress is a rewritten line on a terminal, and silence elsewhere.
#include "bench/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <string>

#include "os/file.h"

namespace weft::bench {
namespace {

std::string read_some(int descriptor) {
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  return count > 0 ? std::string(buffer.data(), static_cast<std::size_t>(count)) : std::string();
}

TEST(Progress, SaysNothingWhereThereIsNoTerminal) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
  const os::Descriptor reading(ends[0]);
  os::Descriptor writing(ends[1]);
  {
    Progress progress(writing.get());
    progress.show("measuring");
  }
  writing.reset();
  EXPECT_EQ(read_some(reading.get()), "");
}

TEST(Progress, RewritesOneLineOfATerminalAndTakesItAway) {
  const os::Descriptor controller(posix_openpt(O_RDWR | O_NOCTTY));
  if (!controller.valid()) GTEST_SKIP() << "no pseudo terminals here";
  ASSERT_EQ(grantpt(controller.get()), 0);
  ASSERT_EQ(unlockpt(controller.get()), 0);
  std::array<char, 100> name{};
  ASSERT_EQ(ptsname_r(controller.get(), name.data(), name.size()), 0);
  const os::Descriptor terminal(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(terminal.valid());
  winsize size{};
  size.ws_col = 10;
  ASSERT_EQ(ioctl(terminal.get(), TIOCSWINSZ, &size), 0);

  Progress progress(terminal.get());
  progress.show("a line that is too long");
  EXPECT_EQ(read_some(controller.get()), "\r\033[Ka line th");
  progress.clear();
  EXPECT_EQ(read_some(controller.get()), "\r\033[K");
}

}  // namespace
}  // namespace weft::bench
