// SPDX-License-Identifier: Apache-2.0
// explore(), replay() and check(): one schedule after another, until one fails.
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <stdexcept>

#include "model/choices.h"
#include "model/execution.h"
#include "model/model.h"
#include "model/strategy.h"

namespace weft::model {
namespace {

// Keeps a failed execution for the rest of the process: the stacks of its parked threads refer to
// it, and destroying the state they were in the middle of could fail in ways that say nothing.
void keep_for_good(std::unique_ptr<Execution> execution) {
  static auto& kept = *new std::vector<std::unique_ptr<Execution>>;
  kept.push_back(std::move(execution));
}

Outcome run_schedules(const Options& options, Strategy& strategy, const Body& body) {
  std::unique_ptr<Execution> execution;
  Crew crew([&execution](std::size_t member) { return execution->run_thread(member); });
  Outcome outcome;
  while (!outcome.failure && strategy.begin()) {
    execution = std::make_unique<Execution>(options, strategy, crew);
    outcome.failure = execution->run(body);
    ++outcome.schedules;
  }
  outcome.complete = strategy.complete();
  if (execution && execution->holds_parked_threads()) keep_for_good(std::move(execution));
  return outcome;
}

}  // namespace

Outcome explore(const Options& options, const Body& body) {
  const auto strategy = options.search == Search::random ? make_random_strategy(options)
                                                         : make_exhaustive_strategy(options);
  return run_schedules(options, *strategy, body);
}

Outcome replay(const Options& options, std::string_view choices, const Body& body) {
  auto list = choices_from_text(choices);
  if (!list) {
    throw std::invalid_argument("model: \"" + std::string(choices) +
                                "\" is not a list of choices; copy it from the failure, as in "
                                "\"12x0,1,3x0,2\"");
  }
  const auto strategy = make_replay_strategy(std::move(*list));
  return run_schedules(options, *strategy, body);
}

void check(bool condition, std::string_view text) {
  if (condition) return;
  if (Execution* const execution = current_execution()) execution->leave_failed(text);
  std::fprintf(stderr, "model::check() outside of a schedule: %.*s\n",
               static_cast<int>(text.size()), text.data());
  std::abort();
}

std::ostream& operator<<(std::ostream& stream, const Outcome& outcome) {
  if (!outcome.failure) {
    stream << outcome.schedules << " schedules passed";
    return stream << (outcome.complete ? ", and there are no more\n" : "\n");
  }
  const Failure& failure = *outcome.failure;
  stream << "schedule " << outcome.schedules << " failed: " << failure.what << '\n';
  if (failure.seed) stream << "  seed " << *failure.seed << '\n';
  stream << "  choices \"" << failure.choices << "\"\n  last steps:\n";
  for (const std::string& line : failure.trace) stream << "    " << line << '\n';
  return stream;
}

}  // namespace weft::model
