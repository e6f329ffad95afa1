// SPDX-License-Identifier: Apache-2.0
// Replays a corpus without a fuzzer: every file of the folders that are named, once.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "property.h"

int main(int argc, char** argv) {
  int count = 0;
  for (int index = 1; index < argc; ++index) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[index])) {
      std::ifstream stream(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(stream), {}};
      std::fprintf(stderr, "%s\n", entry.path().c_str());
      weft::fuzz::try_input(text);
      ++count;
    }
  }
  std::printf("%d inputs replayed\n", count);
  return count > 0 ? 0 : 1;
}
