// SPDX-License-Identifier: Apache-2.0
// Keeps a cgroup for who speaks to it, line by line, and answers "done" or what is wrong:
//
//   quota CORES   makes the cgroup, or changes its quota
//   enter PID     moves a process there
//
// When there is nothing more to read the cgroup goes, and what is left in it.
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

#include "sandbox/cgroup.h"

namespace {

using weft::sandbox::Cgroup;
using weft::sandbox::Quota;

std::string follow(std::optional<Cgroup>& group, std::istream& line) {
  std::string command;
  line >> command;
  weft::base::Status status = weft::base::Done{};
  if (command == "quota") {
    Quota quota;
    line >> quota.cores;
    if (group) {
      status = group->set_quota(quota);
    } else {
      auto made = Cgroup::create(quota);
      if (!made) return made.error().message;
      group.emplace(std::move(*made));
    }
  } else if (command == "enter" && group) {
    int process = 0;
    line >> process;
    status = group->enter(process);
  } else {
    return "neither quota nor enter: " + command;
  }
  return status ? "done" : status.error().message;
}

}  // namespace

int main() {
  std::optional<Cgroup> group;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::cout << follow(group, words) << std::endl;
  }
}
