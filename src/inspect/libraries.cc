// SPDX-License-Identifier: Apache-2.0
// The libraries of a program.
#include "inspect/libraries.h"

#include <algorithm>

#include "base/text.h"

namespace weft::inspect {
namespace {

struct Known {
  std::string_view stem;  // of the name, up to ".so" or a hyphen
  Verdict verdict;
  const char* what;
  const char* advice;
};

constexpr Known known[] = {
    {"liburing", Verdict::slower,
     "waits inside, by system calls of its own; weft's monitor relieves the worker",
     "nothing has to be done; threads that only wait there can be named with --keep-native"},
    {"libaio", Verdict::ok, "waits through libc, where weft sees it", ""},
    {"libgomp", Verdict::slower,
     "spins, then waits by system calls of its own; weft's monitor relieves the worker",
     "set OMP_WAIT_POLICY=passive"},
    {"libtcmalloc", Verdict::ok, "its caches are those of threads, which stay their own", ""},
    {"libtcmalloc_minimal", Verdict::ok, "its caches are those of threads, which stay their own",
     ""},
    {"libjemalloc", Verdict::ok, "its caches are those of threads, which stay their own", ""},
};

constexpr std::string_view parts_of_libc[] = {
    "libc",      "libpthread", "librt",   "libm",   "libmvec",    "libdl",
    "libresolv", "libanl",     "libutil", "libnsl", "linux-vdso", "ld-linux-x86-64"};

// "liburing" of "liburing.so.2".
std::string_view stem_of(std::string_view name) noexcept {
  return name.substr(0, name.find(".so"));
}

std::string_view file_name(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

// Lines are "NAME => PATH (ADDRESS)", "NAME => not found" or, for the loader, "PATH (ADDRESS)".
LibraryList parse_library_list(std::string_view text) {
  LibraryList list;
  while (!text.empty()) {
    std::string_view line = base::trim(base::take_until(text, '\n'));
    if (const auto address = line.rfind(" (0x"); address != std::string_view::npos) {
      line = line.substr(0, address);
    }
    constexpr std::string_view arrow = " => ";
    const auto at = line.find(arrow);
    if (at == std::string_view::npos) {
      if (line.starts_with("/")) {
        list.found.push_back({std::string(file_name(line)), std::string(line)});
      }
      continue;
    }
    const std::string_view name = file_name(line.substr(0, at));
    const std::string_view path = line.substr(at + arrow.size());
    if (path.starts_with("/")) {
      list.found.push_back({std::string(name), std::string(path)});
    } else {
      list.missing.emplace_back(name);
    }
  }
  return list;
}

bool belongs_to_libc(std::string_view library_name) noexcept {
  const auto stem = stem_of(library_name);
  return std::find(std::begin(parts_of_libc), std::end(parts_of_libc), stem) !=
         std::end(parts_of_libc);
}

std::optional<Finding> judge_library(const std::string& library_name) {
  const auto stem = stem_of(library_name);
  for (const Known& entry : known) {
    if (entry.stem == stem) return Finding{library_name, entry.verdict, entry.what, entry.advice};
  }
  return std::nullopt;
}

}  // namespace weft::inspect
