// SPDX-License-Identifier: Apache-2.0
// Every host in this folder gives the answer that it expects.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <weft/budget_watch.h>
#include <weft/pressure.h>

#include "base/text.h"
#include "host_file.h"

namespace weft::hosts {
namespace {

namespace fs = std::filesystem;

// Permissions mean nothing to root, so files that are to be unreadable are read as somebody else.
class Unprivileged {
 public:
  explicit Unprivileged(bool wanted) : was_root_(wanted && geteuid() == 0) {
    constexpr uid_t nobody = 65534;
    if (was_root_ && seteuid(nobody) != 0) ADD_FAILURE() << "cannot drop privileges";
  }
  ~Unprivileged() {
    if (was_root_ && seteuid(0) != 0) std::abort();
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  bool was_root_;
};

std::string describe(const budget::Budget& budget) {
  std::ostringstream text;
  for (const auto* candidates : {&budget.cpu.candidates, &budget.memory.candidates}) {
    for (const budget::Candidate& candidate : *candidates) {
      text << "  " << candidate.source << " | " << candidate.where << " | "
           << candidate.value.value_or(-1) << " | " << to_string(candidate.verdict) << " | "
           << candidate.reason << '\n';
    }
  }
  for (const std::string& note : budget.notes) text << "  note: " << note << '\n';
  return text.str();
}

bool has_candidate(const budget::Budget& budget, std::string_view verdict, std::string_view where) {
  const auto matches = [&](const budget::Candidate& candidate) {
    return to_string(candidate.verdict) == verdict && candidate.where == where;
  };
  return std::any_of(budget.cpu.candidates.begin(), budget.cpu.candidates.end(), matches) ||
         std::any_of(budget.memory.candidates.begin(), budget.memory.candidates.end(), matches);
}

// The value that an expectation is about, as text.
std::string actual(const budget::Budget& budget, const Expectation& expected) {
  const auto yes_or_no = [](bool yes) { return std::string(yes ? "true" : "false"); };
  const std::string& what = expected.what;
  if (what == "cpu.cores") return base::to_text(budget.cpu.cores, 6);
  if (what == "cpu.threads") return std::to_string(budget.cpu.threads);
  if (what == "cpu.source") return budget.cpu.source;
  if (what == "cpu.where") return budget.cpu.where;
  if (what == "cpu.pinned") return yes_or_no(budget.cpu.pinned);
  if (what == "memory.bytes") return std::to_string(budget.memory.bytes);
  if (what == "memory.source") return budget.memory.source;
  if (what == "memory.where") return budget.memory.where;
  if (what == "memory.throttled_above") {
    const auto& high = budget.memory.throttled_above_bytes;
    return high ? std::to_string(*high) : "none";
  }
  if (what == "candidate") {
    std::string_view where = expected.value;
    const std::string_view verdict = base::take_field(where);
    return has_candidate(budget, verdict, base::trim(where)) ? expected.value : "no such candidate";
  }
  if (what == "note") {
    const bool found = std::any_of(
        budget.notes.begin(), budget.notes.end(),
        [&](const std::string& note) { return note.find(expected.value) != std::string::npos; });
    return found ? expected.value : "no such note";
  }
  return "nothing is known as " + what;
}

std::vector<fs::path> host_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(WEFT_HOSTS)) {
    if (entry.path().extension() == ".host") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Host : public testing::TestWithParam<fs::path> {};

TEST_P(Host, GivesTheAnswer) {
  std::ifstream stream(GetParam(), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const TemporaryDirectory root;
  const HostFile host = unpack_host(text, root.path());
  budget::Query query;
  query.root = root.path();
  query.environment = host.environment;
  const Unprivileged unprivileged(host.has_unreadable_files);
  const budget::Budget budget = budget::read(query);
  for (const Expectation& expected : host.expectations) {
    EXPECT_EQ(actual(budget, expected), expected.value) << expected.what << " in\n"
                                                        << describe(budget);
  }
  // The other readers must live with the same host.
  EXPECT_FALSE(budget::read_pressure(query).stalls.empty());
  budget::Watch watch(query, std::chrono::milliseconds(0));
  EXPECT_EQ(watch.current()->cpu.cores, budget.cpu.cores);
  EXPECT_FALSE(watch.refresh());
}

INSTANTIATE_TEST_SUITE_P(All, Host, testing::ValuesIn(host_files()),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace weft::hosts
