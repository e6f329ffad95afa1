// SPDX-License-Identifier: Apache-2.0
// What is wrong with a budget or with the question, in words that say what to do.
#include "budget_problems.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "budget/host.h"
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

// In place; a path is at most this long.
void fit(std::string& text) {
  text = base::printable(text, 4096);
}

}  // namespace

std::string check_query(const budget::Query& query) {
  if (budget::Host(query).process_exists()) return {};
  if (query.root == "/") {
    return fmt::format("there is no process {}; 'ps -e' lists those there are", query.process);
  }
  return fmt::format("there is no process {} ({}/proc/{} does not exist)", query.process,
                     query.root, query.process);
}

budget::Budget fit_to_print(budget::Budget budget) {
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
  for (budget::Throttling& level : pressure.throttling) fit(level.where);
  for (budget::StallReading& reading : pressure.stalls) {
    fit(reading.where);
    fit(reading.reason);
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
