// SPDX-License-Identifier: Apache-2.0
// What is wrong with a budget or with the question, in words that say what to do.
#include "budget_problems.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/text.h"
#include "exit_code.h"

namespace weft::tool {
namespace {

using budget::Candidate;
using budget::Verdict;

bool is_problem(const Candidate& candidate) {
  return candidate.verdict == Verdict::malformed || candidate.verdict == Verdict::unreadable;
}

std::string advice(const Candidate& candidate, const char* unless) {
  if (candidate.source == "CPU_LIMIT" && candidate.verdict == Verdict::malformed) return "";
  if (candidate.verdict == Verdict::malformed) {
    return fmt::format("; repair {}{}", candidate.where, unless);
  }
  if (candidate.where.starts_with("/proc/")) {
    return fmt::format("; mount /proc or allow reading it{}", unless);
  }
  return fmt::format("; allow reading it{}", unless);
}

}  // namespace

std::string check_query(const budget::Query& query) {
  if (query.process == 0) return {};
  if (query.root == "/") {
    if (kill(query.process, 0) == 0 || errno != ESRCH) return {};
    return fmt::format("there is no process {}; 'ps -e' lists those there are", query.process);
  }
  const std::string directory = fmt::format("{}/proc/{}", query.root, query.process);
  std::error_code error;
  if (std::filesystem::exists(directory, error)) return {};
  return fmt::format("there is no process {} ({} does not exist)", query.process, directory);
}

budget::Budget fit_to_print(budget::Budget budget) {
  constexpr std::size_t longest = 4096;
  const auto fit = [](std::string& text) { text = base::printable(text, longest); };
  for (auto* candidates : {&budget.cpu.candidates, &budget.memory.candidates}) {
    for (Candidate& candidate : *candidates) {
      fit(candidate.where);
      fit(candidate.reason);
    }
  }
  fit(budget.cpu.where);
  fit(budget.memory.where);
  fit(budget.memory.throttled_where);
  for (std::string& note : budget.notes) fit(note);
  return budget;
}

budget::Pressure fit_to_print(budget::Pressure pressure) {
  constexpr std::size_t longest = 4096;
  for (budget::Throttling& level : pressure.throttling) {
    level.where = base::printable(level.where, longest);
  }
  for (budget::StallReading& reading : pressure.stalls) {
    reading.where = base::printable(reading.where, longest);
    reading.reason = base::printable(reading.reason, longest);
  }
  return pressure;
}

int report_problems(const budget::Budget& budget, std::ostream& errors) {
  int exit_code = exit_done;
  for (const Candidate& candidate : budget.cpu.candidates) {
    // With a pin, nothing else was needed for the answer.
    if (!is_problem(candidate) || budget.cpu.pinned) continue;
    const bool bad_pin = candidate.source == "CPU_LIMIT" && candidate.verdict == Verdict::malformed;
    const std::string where =
        candidate.source == "CPU_LIMIT" || candidate.verdict == Verdict::unreadable
            ? ""
            : candidate.where + ": ";
    errors << fmt::format("weft budget: {}{}{} (the answer now comes from: {}, {} cores)\n", where,
                          candidate.reason, advice(candidate, ", or set CPU_LIMIT"),
                          budget.cpu.source, base::to_text(budget.cpu.cores));
    exit_code = bad_pin ? exit_usage : std::max(exit_code, exit_problem);
  }
  for (const Candidate& candidate : budget.memory.candidates) {
    // The same file as for the CPU, where that was said.
    const bool said_already = candidate.source == "cgroup limit" && !budget.cpu.pinned;
    if (!is_problem(candidate) || said_already) continue;
    errors << fmt::format("weft budget: memory: {}: {}{}\n", candidate.where, candidate.reason,
                          advice(candidate, ""));
    exit_code = std::max(exit_code, exit_problem);
  }
  return exit_code;
}

}  // namespace weft::tool
