// SPDX-License-Identifier: Apache-2.0
// Asks everybody in every scenario, and puts the report together.
#include "bench_budget.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "bench/interrupt.h"
#include "bench/json.h"
#include "bench/table.h"
#include "bench_budget_cost.h"
#include "bench_budget_rivals.h"
#include "bench_budget_scenarios.h"

namespace weft::tool {
namespace {

// One scenario, answered by all.
struct Answers {
  Answer right;
  Answer ours;
  std::vector<double> rivals;

  bool ours_right() const {
    return ours.threads == right.threads && std::abs(ours.cores - right.cores) < 1e-6;
  }
  bool rival_right(std::size_t index) const {
    return rivals[index] == static_cast<double>(right.threads);
  }
};

base::Result<Answer> ask_ourselves(const sandbox::RunOptions& options) {
  // This very program, even if its file has been replaced meanwhile.
  const std::string self = "/proc/" + std::to_string(getpid()) + "/exe";
  const auto output = output_of({self, "budget", "--json"}, options);
  if (!output) return output.error();
  const auto threads = bench::number_at(*output, "/cpu/threads");
  if (!threads) return base::Error{"`weft budget --json`: " + threads.error().message};
  const auto cores = bench::number_at(*output, "/cpu/cores");
  if (!cores) return base::Error{"`weft budget --json`: " + cores.error().message};
  return Answer{*cores, static_cast<unsigned>(*threads)};
}

base::Result<Answers> ask_all(const Scenario& scenario, const Host& host, const Nest& nest,
                              const std::vector<Rival>& rivals, bench::Progress& progress) {
  sandbox::RunOptions options;
  options.cgroup = &nest.leaf;
  options.cpus = affinity(scenario, host);
  if (scenario.cpu_limit) {
    options.environment = {std::string("CPU_LIMIT=") + scenario.cpu_limit->text};
  }
  const auto show = [&](const std::string& who) {
    progress.show(std::string(scenario.name) + ": " + who);
  };
  show("weft");
  const auto ours = ask_ourselves(options);
  if (!ours) return ours.error();
  Answers answers{right_answer(scenario, host), *ours, {}};
  for (const Rival& rival : rivals) {
    if (const auto status = bench::check_interrupt(); !status) return status.error();
    show(rival.name);
    const auto number = ask(rival, options);
    if (!number) return number.error();
    answers.rivals.push_back(*number);
  }
  return answers;
}

void add_rows(bench::Report& report, const Scenario& scenario, const Answers& answers,
              const std::vector<Rival>& rivals) {
  const bench::Bar bar = bench::ours_equals(answers.right.threads);
  const auto add = [&](bench::Row row) {
    row.holds = answers.ours_right();
    row.details = {{"cores", answers.ours.cores}, {"right_cores", answers.right.cores}};
    report.rows.push_back(std::move(row));
  };
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    bench::Row row = bench::make_row(scenario.name, answers.ours.threads, "", answers.rivals[i],
                                     rivals[i].name, bar);
    row.rival_right = answers.rival_right(i);
    add(std::move(row));
  }
  if (rivals.empty()) add(bench::make_row(scenario.name, answers.ours.threads, "", bar));
  if (!answers.ours_right()) {
    report.notes.push_back(
        std::string(scenario.name) + ": weft says " + bench::to_text(answers.ours.cores, "") +
        " cores and " + std::to_string(answers.ours.threads) + " threads; right are " +
        bench::to_text(answers.right.cores, "") + " and " + std::to_string(answers.right.threads));
  }
}

// Who was right where: one line a scenario, one column a program, and a line of sums.
class Matrix {
 public:
  explicit Matrix(const std::vector<Rival>& rivals)
      : table_(std::vector(rivals.size() + 3, bench::TextTable::Align::left)),
        right_(rivals.size() + 1) {
    std::vector<std::string> header = {"threads in", "right", "weft"};
    for (const Rival& rival : rivals) header.push_back(rival.name);
    table_.add(std::move(header));
  }

  void add(const Scenario& scenario, const Answers& answers) {
    ++scenarios_;
    std::vector<std::string> cells = {scenario.name, std::to_string(answers.right.threads)};
    const auto mark = [&](std::size_t column, double number, bool right) {
      cells.push_back(bench::to_text(number, "") + (right ? " ok" : " WRONG"));
      if (right) ++right_[column];
    };
    mark(0, answers.ours.threads, answers.ours_right());
    for (std::size_t i = 0; i < answers.rivals.size(); ++i) {
      mark(i + 1, answers.rivals[i], answers.rival_right(i));
    }
    table_.add(std::move(cells));
  }

  std::string text() {
    std::vector<std::string> sums = {"right answers", ""};
    for (const std::size_t right : right_) {
      sums.push_back(std::to_string(right) + " of " + std::to_string(scenarios_));
    }
    table_.add(std::move(sums));
    return table_.text();
  }

 private:
  bench::TextTable table_;
  std::vector<std::size_t> right_;  // by column: ours, then the rivals
  std::size_t scenarios_ = 0;
};

base::Status ask_in_every_scenario(bench::Report& report, const Host& host,
                                   const std::vector<Rival>& rivals, bench::Progress& progress) {
  Matrix matrix(rivals);
  for (const Scenario& scenario : scenarios()) {
    if (refused(scenario, host)) {
      report.notes.push_back(std::string("left out '") + scenario.name + "': " + host.directory +
                             " has but " + bench::to_text(*host.quota_cores, "cores") +
                             ", and cgroup v1 refuses more below");
      continue;
    }
    const auto nest = make_nest(scenario);
    if (!nest) return nest.error();
    const auto answers = ask_all(scenario, host, *nest, rivals, progress);
    if (!answers) return answers.error();
    add_rows(report, scenario, *answers, rivals);
    matrix.add(scenario, *answers);
  }
  report.summary = matrix.text();
  return base::Done{};
}

base::Status measure_cost(bench::Report& report, const Host& host, const bench::Options& options,
                          bench::Progress& progress) {
  // Quotas on all levels, none of which one thread can run into unless the host's is below one.
  const sandbox::Quota quota = {std::min(2.0, host.quota_cores.value_or(2.0))};
  const auto nest =
      make_nest({.name = "cost", .grandparent = quota, .parent = quota, .leaf = quota});
  if (!nest) return nest.error();
  const auto rows = budget_cost(nest->leaf, options, progress);
  if (!rows) return rows.error();
  report.rows.insert(report.rows.end(), rows->begin(), rows->end());
  return base::Done{};
}

void add_notes(bench::Report& report, const Rivals& rivals) {
  report.notes.emplace_back(
      "right cores: the smallest of the affinity and the quotas of all levels, or CPU_LIMIT");
  report.notes.emplace_back(
      "right threads: the whole CPUs in that, at least 1; only weft knows CPU_LIMIT");
  for (const Rival& rival : rivals.ready) {
    report.notes.push_back(rival.name + " is '" + rival.version + "'");
  }
  for (const std::string& name : rivals.missing) {
    report.notes.push_back(name + " is not installed and was left out (--allow-missing)");
  }
}

}  // namespace

base::Result<bench::Report> bench_budget(const bench::Options& options, bench::Progress& progress) {
  forget_overrides();
  const auto host = look_at_host();
  if (!host) return host.error();
  const auto directory = bench::TemporaryDirectory::create();
  if (!directory) return directory.error();
  const auto rivals = prepare_rivals(*directory, options.allow_missing, progress);
  if (!rivals) return rivals.error();

  bench::Report report;
  if (const auto status = ask_in_every_scenario(report, *host, rivals->ready, progress); !status) {
    return status.error();
  }
  if (const auto status = measure_cost(report, *host, options, progress); !status) {
    return status.error();
  }
  add_notes(report, *rivals);
  return report;
}

}  // namespace weft::tool
