// SPDX-License-Identifier: Apache-2.0
// The line is written anew each time, so that nothing need be remembered across a fork.
#include "bench/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

namespace weft::bench {
namespace {

constexpr std::string_view to_start_of_line_and_erase = "\r\033[K";

// A line that wraps could not be rewritten.
std::size_t columns(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

void write_all(int descriptor, std::string_view text) {
  // Progress that cannot be shown is no reason to stop measuring.
  [[maybe_unused]] const ssize_t written = ::write(descriptor, text.data(), text.size());
}

}  // namespace

Progress::Progress(int descriptor) : descriptor_(isatty(descriptor) == 1 ? descriptor : -1) {}

void Progress::show(std::string_view text) {
  if (descriptor_ < 0) return;
  std::string line(to_start_of_line_and_erase);
  line += text.substr(0, columns(descriptor_) - 1);
  write_all(descriptor_, line);
}

void Progress::clear() {
  if (descriptor_ >= 0) write_all(descriptor_, to_start_of_line_and_erase);
}

}  // namespace weft::bench
