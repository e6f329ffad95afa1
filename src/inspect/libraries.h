// SPDX-License-Identifier: Apache-2.0
// The libraries of a program, as the loader lists them, and what is known of some of them.
//
// Pure. The list is that of `ld.so --list`, which finds libraries as it will when the program
// starts, and runs nothing of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/finding.h"

namespace weft::inspect {

struct Library {
  std::string name;  // "liburing.so.2"
  std::string path;
};

struct LibraryList {
  std::vector<Library> found;
  std::vector<std::string> missing;
};

LibraryList parse_library_list(std::string_view text);

// libc and its parts, through which weft sees everything.
bool belongs_to_libc(std::string_view library_name) noexcept;

// What a library with a known way of waiting or counting means for weft; nothing for the others.
std::optional<Finding> judge_library(const std::string& library_name);

}  // namespace weft::inspect
