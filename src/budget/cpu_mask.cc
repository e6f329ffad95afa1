// SPDX-License-Identifier: Apache-2.0
// Sets of CPUs as the kernel prints them.
#include "budget/cpu_mask.h"

#include "base/text.h"

namespace weft::budget {
namespace {

constexpr std::size_t most_cpus = std::size_t{1} << 20;

base::Error problem(std::string_view text, std::string_view what) {
  return {"\"" + base::printable(text, 40) + "\" is not " + std::string(what)};
}

}  // namespace

base::Result<CpuMask> parse_cpu_mask(std::string_view text) {
  std::string_view rest = base::trim(text);
  // Each group but the first has eight digits: the number of bits follows from the length.
  std::vector<std::uint32_t> groups;
  while (!rest.empty()) {
    const std::string_view digits = base::take_until(rest, ',');
    const auto group = base::to_number<std::uint32_t>(digits, 16);
    if (!group || digits.size() > 8) return problem(text, "a CPU mask");
    groups.push_back(*group);
    if (groups.size() * 32 > most_cpus) return problem(text, "a CPU mask of any machine");
  }
  if (groups.empty()) return problem(text, "a CPU mask");
  CpuMask mask;
  mask.reserve(groups.size() * 32);
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    for (unsigned bit = 0; bit < 32; ++bit) mask.push_back(((*group >> bit) & 1U) != 0);
  }
  return mask;
}

base::Result<CpuMask> parse_cpu_list(std::string_view text) {
  std::string_view rest = base::trim(text);
  CpuMask mask;
  while (!rest.empty()) {
    std::string_view range = base::take_until(rest, ',');
    const bool single = range.find('-') == std::string_view::npos;
    const auto first = base::to_number<std::size_t>(base::take_until(range, '-'));
    const auto last = single ? first : base::to_number<std::size_t>(range);
    if (!first || !last || *last < *first || *last >= most_cpus) return problem(text, "a CPU list");
    if (mask.size() <= *last) mask.resize(*last + 1);
    for (std::size_t cpu = *first; cpu <= *last; ++cpu) mask[cpu] = true;
  }
  if (mask.empty()) return problem(text, "a CPU list");
  return mask;
}

unsigned count_common(const CpuMask& mask, const CpuMask& other) {
  unsigned count = 0;
  for (std::size_t cpu = 0; cpu < mask.size(); ++cpu) {
    const bool in_other = other.empty() || (cpu < other.size() && other[cpu]);
    if (mask[cpu] && in_other) ++count;
  }
  return count;
}

}  // namespace weft::budget
