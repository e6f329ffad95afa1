// SPDX-License-Identifier: Apache-2.0
// The environment of programs that are executed.
#include "preload/children.h"

#include <sys/stat.h>

#include <cstdio>
#include <cstring>

#include "preload/options.h"

namespace weft::preload {
namespace {

bool is_this_program(const char* path) {
  struct stat ours {};
  struct stat theirs {};
  return ::stat("/proc/self/exe", &ours) == 0 && ::stat(path, &theirs) == 0 &&
         ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

constexpr std::size_t text_bytes = 4096;

}  // namespace

ChildEnvironment::ChildEnvironment(const char* path, char* const* environment)
    : given_(environment) {
  const Options& ours = options();
  if (ours.children != Children::same || environment == nullptr || !is_this_program(path)) return;
  std::size_t count = 0;
  const char* preloaded = "";
  for (; environment[count] != nullptr; ++count) {
    constexpr const char name[] = "LD_PRELOAD=";
    if (std::strncmp(environment[count], name, sizeof(name) - 1) == 0) {
      preloaded = environment[count] + sizeof(name) - 1;
    }
  }
  text_ = std::make_unique<char[]>(text_bytes);
  list_ = std::make_unique<char*[]>(count + 8);
  std::size_t used = 0, entries = 0;
  const auto add = [&](const char* format, auto... values) {
    const int bytes = std::snprintf(&text_[used], text_bytes - used, format, values...);
    if (bytes < 0 || used + static_cast<std::size_t>(bytes) >= text_bytes) return;
    list_[entries++] = &text_[used];
    used += static_cast<std::size_t>(bytes) + 1;
  };
  add("LD_PRELOAD=%s%s%s", ours.library, *preloaded != '\0' ? ":" : "", preloaded);
  if (ours.workers != 0) add("WEFT_WORKERS=%u", ours.workers);
  if (ours.statistics) add("WEFT_STATS=%s", "1");
  if (ours.verbose) add("WEFT_VERBOSE=%s", "1");
  if (ours.host_cpus) add("WEFT_CPU_COUNT=%s", "host");
  if (*ours.keep_native != '\0') add("WEFT_KEEP_NATIVE=%s", ours.keep_native);
  if (*ours.report != '\0') add("WEFT_REPORT=%s", ours.report);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::strncmp(environment[i], "LD_PRELOAD=", 11) != 0) list_[entries++] = environment[i];
  }
  list_[entries] = nullptr;
}

}  // namespace weft::preload
