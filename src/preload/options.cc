// SPDX-License-Identifier: Apache-2.0
// The environment, read and cleaned.
#include "preload/options.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

#include "base/atomic.h"
#include "os/spin_lock.h"

namespace weft::preload {
namespace {

constinit os::SpinLock lock;
constinit Options read_options{};  // guarded by lock until it is read
constinit atomic<bool> is_read{false};

template <std::size_t size>
void copy(char (&to)[size], const char* from) {
  if (from == nullptr) return;
  std::strncpy(to, from, size - 1);
  to[size - 1] = '\0';
}

bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}

Options from_environment() {
  Options result;
  if (const char* const workers = std::getenv("WEFT_WORKERS")) {
    result.workers = static_cast<std::uint32_t>(std::strtoul(workers, nullptr, 10));
  }
  result.statistics = is_set("WEFT_STATS");
  result.verbose = is_set("WEFT_VERBOSE");
  const char* const cpus = std::getenv("WEFT_CPU_COUNT");
  result.host_cpus = cpus != nullptr && std::strcmp(cpus, "host") == 0;
  if (const char* const children = std::getenv("WEFT_CHILDREN")) {
    if (std::strcmp(children, "none") == 0) result.children = Children::none;
    if (std::strcmp(children, "all") == 0) result.children = Children::all;
  }
  copy(result.keep_native, std::getenv("WEFT_KEEP_NATIVE"));
  copy(result.report, std::getenv("WEFT_REPORT"));
  Dl_info us{};
  if (::dladdr(reinterpret_cast<const void*>(&from_environment), &us) != 0) {
    copy(result.library, us.dli_fname);
  }
  return result;
}

// Takes one word out of a list, which is changed in place. False: nothing else was in it. "word:"
// is a list with an empty one behind it, which stays: somebody had set it to that.
bool take_out(char* list, const char* word) {
  const std::size_t bytes = std::strlen(word);
  for (char* at = std::strstr(list, word); at != nullptr; at = std::strstr(at + 1, word)) {
    const bool begins = at == list || at[-1] == ':' || at[-1] == ' ';
    const char end = at[bytes];
    if (!begins || (end != '\0' && end != ':' && end != ' ')) continue;
    if (end == '\0' && at == list) return false;
    char* const rest = end == '\0' ? at + bytes : at + bytes + 1;
    char* const to = end == '\0' ? at - 1 : at;  // the separator before the last
    std::memmove(to, rest, std::strlen(rest) + 1);
    return true;
  }
  return true;
}

}  // namespace

const Options& options() noexcept {
  if (is_read.load(std::memory_order_acquire)) return read_options;
  const std::scoped_lock guard(lock);
  if (!is_read.load(std::memory_order_relaxed)) {
    read_options = from_environment();
    is_read.store(true, std::memory_order_release);
  }
  return read_options;
}

void clean_environment() noexcept {
  const Options& ours = options();
  if (char* const preload = std::getenv("LD_PRELOAD")) {
    if (!take_out(preload, ours.library)) ::unsetenv("LD_PRELOAD");
  }
  for (const char* const name : {"WEFT_WORKERS", "WEFT_STATS", "WEFT_VERBOSE", "WEFT_CPU_COUNT",
                                 "WEFT_CHILDREN", "WEFT_KEEP_NATIVE", "WEFT_REPORT"}) {
    ::unsetenv(name);
  }
}

}  // namespace weft::preload
