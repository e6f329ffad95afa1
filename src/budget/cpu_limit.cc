// SPDX-License-Identifier: Apache-2.0
// CPU_LIMIT, as an orchestrator writes it.
#include "budget/cpu_limit.h"

#include "base/text.h"

namespace weft::budget {
namespace {

constexpr double most_cores = 1e6;

base::Error problem(std::string_view text, std::string_view what) {
  std::string message = "CPU_LIMIT is \"" + base::printable(text, 40) + "\", ";
  message.append(what).append("; write cores as 2 or 1.5, or thousandths as 1500m");
  return {std::move(message)};
}

}  // namespace

base::Result<double> parse_cpu_limit(std::string_view text) {
  std::string_view number = base::trim(text);
  const bool thousandths = !number.empty() && number.back() == 'm';
  if (thousandths) number.remove_suffix(1);
  const auto decimal = base::to_decimal(number);
  if (!decimal) return problem(text, "which is not a number of CPUs");
  const double cores = thousandths ? *decimal / 1000 : *decimal;
  if (!(cores > 0)) return problem(text, "which leaves no CPU at all");
  if (cores > most_cores) return problem(text, "which is more than any machine has");
  return cores;
}

}  // namespace weft::budget
