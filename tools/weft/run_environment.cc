// SPDX-License-Identifier: Apache-2.0
// What `weft run` tells the preload library.
#include "run_environment.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include "base/text.h"
#include "os/file.h"
#include "suggest.h"

namespace weft::tool {
namespace {

constexpr unsigned most_workers = 256;
constexpr std::size_t longest_value_bytes = 511;  // that the library has room for
const std::vector<std::string> children_words = {"none", "same", "all"};

// A value, and what to call it when it is wrong.
struct Setting {
  std::string name;
  std::string value;
};

Setting setting(const char* option, const std::string& given, const char* variable_name,
                Variable variable) {
  if (!given.empty()) return {option, given};
  const char* const inherited = variable(variable_name);
  return {variable_name, inherited != nullptr ? inherited : ""};
}

base::Status check_workers(const Setting& workers) {
  if (workers.value.empty() || workers.value == "auto") return base::Done{};
  const auto number = base::to_number<unsigned>(workers.value);
  if (number && *number >= 1 && *number <= most_workers) return base::Done{};
  return base::Error{workers.name + " is '" + base::printable(workers.value) +
                     "': write a number from 1 to " + std::to_string(most_workers) +
                     ", or auto for as many as the CPU budget has room for"};
}

base::Status check_length(const Setting& text) {
  if (text.value.size() <= longest_value_bytes) return base::Done{};
  return base::Error{text.name + " is " + std::to_string(text.value.size()) +
                     " bytes long, and there is room for " + std::to_string(longest_value_bytes)};
}

base::Status check_children(const Setting& children) {
  if (children.value.empty()) return base::Done{};
  if (std::find(children_words.begin(), children_words.end(), children.value) !=
      children_words.end()) {
    return base::Done{};
  }
  return base::Error{children.name + " is '" + base::printable(children.value) +
                     "': write none, same or all." + did_you_mean(children.value, children_words)};
}

// An option at the end of all, whose value was forgotten, takes what follows for it.
bool is_missing(const std::string& value) {
  return value == "--";
}

base::Result<std::string> join_patterns(const std::vector<std::string>& patterns) {
  std::string joined;
  for (const std::string& pattern : patterns) {
    if (pattern.empty() || is_missing(pattern)) {
      return base::Error{std::string("--keep-native ") +
                         (pattern.empty() ? "is empty" : "has no pattern") +
                         ": write the name of a thread or of its start routine, or a pattern such "
                         "as 'worker*'"};
    }
    joined += (joined.empty() ? "" : ":") + pattern;
  }
  return joined;
}

}  // namespace

// What was there stays as it is, to the letter: the library takes itself out again, and the program
// and its children have what they would have without weft.
std::string preload_list(const std::string& library, const char* current) {
  if (current == nullptr) return library;
  const std::string_view rest(current);
  if (rest.substr(0, rest.find_first_of(": ")) == library) return current;
  return library + ":" + current;
}

base::Result<std::string> check_report(const std::string& path) {
  // O_EXCL first, to know whether the file is ours to remove again.
  const int flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const os::Descriptor made(::open(path.c_str(), flags | O_CREAT | O_EXCL, 0600));
  if (made.valid()) {
    ::unlink(path.c_str());
  } else if (errno == EEXIST) {
    const os::Descriptor file(::open(path.c_str(), flags));
    // ENXIO: a pipe that nobody reads yet.
    if (!file.valid() && errno != ENXIO) return os::last_error("write the report to", path);
  } else {
    return os::last_error("write the report to", path);
  }
  return std::filesystem::absolute(path).string();
}

base::Result<Assignments> assignments_for(const RunOptions& options, const std::string& library,
                                          Variable variable) {
  if (const auto done =
          check_workers(setting("--workers", options.workers, "WEFT_WORKERS", variable));
      !done) {
    return done.error();
  }
  if (const auto done =
          check_children(setting("--children", options.children, "WEFT_CHILDREN", variable));
      !done) {
    return done.error();
  }
  const auto patterns = join_patterns(options.keep_native);
  if (!patterns) return patterns.error();
  if (const auto done =
          check_length(setting("--keep-native", *patterns, "WEFT_KEEP_NATIVE", variable));
      !done) {
    return done.error();
  }
  const Setting report = setting("--report", options.report, "WEFT_REPORT", variable);

  Assignments all{{"LD_PRELOAD", preload_list(library, variable("LD_PRELOAD"))}};
  if (!options.workers.empty()) all.emplace_back("WEFT_WORKERS", options.workers);
  if (!patterns->empty()) all.emplace_back("WEFT_KEEP_NATIVE", *patterns);
  if (options.stats) all.emplace_back("WEFT_STATS", "1");
  if (is_missing(report.value)) {
    return base::Error{report.name + " has no file: name one that can be written"};
  }
  if (!report.value.empty()) {
    const auto path = check_report(report.value);
    if (!path) {
      return base::Error{path.error().message + "; name a file that can be written with " +
                         report.name};
    }
    if (const auto done = check_length({report.name, *path}); !done) return done.error();
    all.emplace_back("WEFT_REPORT", *path);
  }
  if (!options.children.empty()) all.emplace_back("WEFT_CHILDREN", options.children);
  if (options.host_cpus) all.emplace_back("WEFT_CPU_COUNT", "host");
  if (options.verbose) all.emplace_back("WEFT_VERBOSE", "1");
  return all;
}

}  // namespace weft::tool
