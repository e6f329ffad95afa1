// SPDX-License-Identifier: Apache-2.0
// About: what a server is called, to those who look after it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace weft::serve {

struct About {
  std::string version;
  std::string policy;
  std::vector<std::string> listens;  // addresses, as people write them
  std::chrono::system_clock::time_point began = std::chrono::system_clock::now();
  std::chrono::steady_clock::time_point began_steadily = std::chrono::steady_clock::now();
};

}  // namespace weft::serve
