// SPDX-License-Identifier: Apache-2.0
// A budget as a page for a person.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "budget_output.h"

namespace weft::tool {
namespace {

using base::to_text;

std::string plural(double count, const std::string& noun) {
  return to_text(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  return to_text(bytes, 1) + " " + units[unit];
}

bool says_the_same(const budget::Candidate& one, const budget::Candidate& other) {
  return !one.value && !other.value && one.source == other.source && one.verdict == other.verdict &&
         one.reason == other.reason;
}

// Every candidate: what it says, what became of it, and where it was found. Neighbouring levels
// that say nothing share a line.
std::string candidates_text(const std::vector<budget::Candidate>& candidates,
                            std::string (*describe)(double)) {
  std::string text;
  for (auto first = candidates.begin(); first != candidates.end();) {
    auto next = std::find_if_not(first, candidates.end(), [&](const budget::Candidate& candidate) {
      return says_the_same(*first, candidate);
    });
    if (next == first) ++next;
    const bool failed = first->verdict == budget::Verdict::unreadable ||
                        first->verdict == budget::Verdict::malformed;
    text += fmt::format("   {} {:<28} {:>9}  {}{}\n",
                        first->verdict == budget::Verdict::chosen ? '*' : ' ', first->source,
                        first->value ? describe(*first->value) : "-",
                        failed ? std::string(to_string(first->verdict)) + ": " : "", first->reason);
    if (next - first > 1) {
      text += fmt::format("       {} levels, from {}\n       up to {}\n", next - first,
                          first->where, (next - 1)->where);
    } else if (first->where != first->source) {
      text += fmt::format("       {}\n", first->where);
    }
    first = next;
  }
  return text;
}

std::string owned_text(const budget::Budget& budget) {
  std::string text =
      fmt::format("CPU     {}: room for {} at a time\n", plural(budget.cpu.cores, "core"),
                  plural(budget.cpu.threads, "running thread"));
  text += fmt::format("  {}, from {}. Considered:\n",
                      budget.cpu.pinned ? "Pinned" : "The tightest limit", budget.cpu.source);
  text += candidates_text(budget.cpu.candidates, [](double cores) { return to_text(cores); });
  text += "\nMemory  " + (budget.memory.bytes == 0
                              ? "not known"
                              : bytes_text(static_cast<double>(budget.memory.bytes)));
  if (budget.memory.throttled_above_bytes) {
    text += ", slowed down above " +
            bytes_text(static_cast<double>(*budget.memory.throttled_above_bytes));
  }
  text += "\n  The tightest limit, from " + budget.memory.source + ". Considered:\n";
  return text + candidates_text(budget.memory.candidates, bytes_text);
}

std::string throttling_text(const budget::Throttling& level) {
  if (level.periods == 0) return "";
  const double share =
      100.0 * static_cast<double>(level.throttled_periods) / static_cast<double>(level.periods);
  std::string text =
      fmt::format("  throttled in {}% of its periods ({} of {}), {} s in all", to_text(share, 1),
                  level.throttled_periods, level.periods,
                  to_text(std::chrono::duration<double>(level.throttled).count(), 1));
  if (level.burst_limit.count() > 0) {
    text += fmt::format(", bursts of up to {} ms used {} times",
                        to_text(static_cast<double>(level.burst_limit.count()) / 1000, 1),
                        level.bursts);
  }
  return text + "\n    " + level.where + "\n";
}

std::string stall_text(const std::optional<budget::Stall>& stall) {
  if (!stall) return fmt::format("{:>20}", "-");
  return fmt::format("{:>6.2f} {:>6.2f} {:>6.2f}", stall->average_10s, stall->average_60s,
                     stall->average_300s);
}

std::string pressure_text(const budget::Pressure& pressure) {
  std::string text = "\nPressed\n";
  std::string throttling;
  for (const budget::Throttling& level : pressure.throttling) throttling += throttling_text(level);
  text += throttling.empty() ? "  not throttled: no quota has been at work\n" : throttling;
  text += fmt::format("  {:<18} {:^20}  {:^20}\n", "share of time that", "some waited %",
                      "all waited %");
  text += fmt::format("  {:<18} {:>6} {:>6} {:>6}  {:>6} {:>6} {:>6}\n", "", "10 s", "60 s",
                      "5 min", "10 s", "60 s", "5 min");
  for (const budget::StallReading& reading : pressure.stalls) {
    const std::string name =
        fmt::format("{} ({})", to_string(reading.resource), to_string(reading.scope));
    if (reading.available()) {
      text += fmt::format("  {:<18} {}  {}\n", name, stall_text(reading.some),
                          stall_text(reading.full));
    } else if (reading.resource != budget::Resource::irq) {
      text += fmt::format("  {:<18} not told: {}\n", name, reading.reason);
    }
  }
  return text;
}

std::string sizes_text(const budget::Sizes& sizes) {
  const auto count = [](const budget::Size& size) { return std::to_string(size.value); };
  const auto bytes = [](const budget::Size& size) {
    return size.value == 0 ? "-" : bytes_text(static_cast<double>(size.value));
  };
  std::string text = "\nWhat to set (weft budget --env prints it for a shell)\n";
  const auto line = [&](const char* name, const std::string& value, const std::string& rule) {
    text += fmt::format("  {:<18} {:>9}  {}\n", name, value, rule);
  };
  line("CPU pool", count(sizes.cpu_pool_threads), sizes.cpu_pool_threads.rule);
  line("I/O pool", count(sizes.io_pool_threads), sizes.io_pool_threads.rule);
  line("malloc arenas", count(sizes.malloc_arenas), sizes.malloc_arenas.rule);
  line("all stacks", bytes(sizes.stack_budget_bytes), sizes.stack_budget_bytes.rule);
  line("a thread's stack", bytes(sizes.stack_bytes_per_thread), sizes.stack_bytes_per_thread.rule);
  return text;
}

}  // namespace

std::string budget_page(const budget::Budget& budget, const budget::Pressure& pressure) {
  std::string text = owned_text(budget) + pressure_text(pressure) + sizes_text(budget.sizes);
  if (!budget.notes.empty()) text += "\nNote\n";
  for (const std::string& note : budget.notes) text += "  " + note + ".\n";
  return text;
}

}  // namespace weft::tool
