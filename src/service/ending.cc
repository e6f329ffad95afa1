// SPDX-License-Identifier: Apache-2.0
// The steps, in order, whatever becomes of each.
#include "service/ending.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace weft::service {

const char* to_string(Stage stage) noexcept {
  switch (stage) {
    case Stage::unready:
      return "unready";
    case Stage::leaving:
      return "leaving";
    case Stage::servers:
      return "servers";
    case Stage::pools:
      return "pools";
    case Stage::databases:
      return "databases";
    case Stage::flushing:
      return "flushing";
  }
  return "unknown";
}

void Ending::add(Stage stage, std::string name, Step step) {
  steps_.push_back({stage, std::move(name), std::move(step)});
}

std::vector<Ending::Outcome> Ending::run(std::chrono::nanoseconds grace,
                                         const std::function<Clock::time_point()>& now) {
  std::vector<Entry> steps = std::exchange(steps_, {});
  std::reverse(steps.begin(), steps.end());
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Entry& one, const Entry& other) { return one.stage < other.stage; });
  const Clock::time_point deadline = now() + grace;
  std::vector<Outcome> outcomes;
  for (const Entry& entry : steps) {
    Outcome outcome{entry.name, entry.stage, {}, ""};
    const Clock::time_point begin = now();
    try {
      if (!entry.step(deadline)) outcome.problem = "not all was done in time";
    } catch (const std::exception& thrown) {
      outcome.problem = thrown.what();
    } catch (...) {
      outcome.problem = "it threw something that says nothing";
    }
    outcome.took = now() - begin;
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace weft::service
