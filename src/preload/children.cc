// SPDX-License-Identifier: Apache-2.0
// The environment of programs that are executed.
#include "preload/children.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
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

// The same of a name that is looked for in PATH, as execvp() does.
bool is_this_program_in_path(const char* name) {
  const char* const folders = std::getenv("PATH");
  if (std::strchr(name, '/') != nullptr || folders == nullptr) return is_this_program(name);
  for (const char* folder = folders;;) {
    const char* const end = ::strchrnul(folder, ':');
    char path[PATH_MAX];
    const auto bytes = static_cast<int>(end - folder);
    const int length =
        std::snprintf(path, sizeof(path), "%.*s%s%s", bytes, folder, bytes == 0 ? "" : "/", name);
    const bool fits = length > 0 && static_cast<std::size_t>(length) < sizeof(path);
    if (fits && ::access(path, X_OK) == 0) return is_this_program(path);
    if (*end == '\0') return false;
    folder = end + 1;
  }
}

constexpr std::size_t text_bytes = 4096;

}  // namespace

ChildEnvironment::ChildEnvironment(const char* path, char* const* environment, FoundBy found_by)
    : given_(environment) {
  const Options& ours = options();
  if (ours.children != Children::same || environment == nullptr || path == nullptr) return;
  const bool is_ours =
      found_by == FoundBy::path_variable ? is_this_program_in_path(path) : is_this_program(path);
  if (is_ours) add_our_own();
}

ChildEnvironment::ChildEnvironment(int directory, const char* path, char* const* environment)
    : given_(environment) {
  if (path == nullptr) return;
  char name[PATH_MAX];
  const bool by_name = *path == '/' || directory == AT_FDCWD;
  const int length = by_name ? std::snprintf(name, sizeof(name), "%s", path)
                             : std::snprintf(name, sizeof(name), "/proc/self/fd/%d%s%s", directory,
                                             *path != '\0' ? "/" : "", path);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof(name)) return;
  if (options().children == Children::same && environment != nullptr && is_this_program(name)) {
    add_our_own();
  }
}

void ChildEnvironment::add_our_own() {
  const Options& ours = options();
  char* const* const environment = given_;
  std::size_t count = 0;
  const char* preloaded = nullptr;
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
  const bool alone = preloaded == nullptr;
  add("LD_PRELOAD=%s%s%s", ours.library, alone ? "" : ":", alone ? "" : preloaded);
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
