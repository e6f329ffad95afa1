// SPDX-License-Identifier: Apache-2.0
// Asks weft-bench-engine for one number after the other, and puts the report together.
//
// The measuring program is another one so that this one needs neither the engine nor Boost.
#include "bench_engine.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "bench/comparison.h"
#include "bench/interrupt.h"
#include "bench/json.h"
#include "bench/rivals.h"
#include "bench_budget_rivals.h"
#include "bench_engine_table.h"
#include "bench_measured.h"
#include "trial/interrupt.h"

namespace weft::tool {
namespace {

constexpr const char* program_name = "weft-bench-engine";
constexpr std::chrono::seconds measurement_timeout{30};

class MeasuringProgram {
 public:
  MeasuringProgram(std::string path, bool quick) : path_(std::move(path)), quick_(quick) {}

  base::Result<std::set<std::string>> measurements() const {
    const auto output = output_of({path_, "--list"}, {});
    if (!output) return output.error();
    std::set<std::string> names;
    for (std::string_view rest = *output; !rest.empty();) {
      names.emplace(base::take_until(rest, '\n'));
    }
    return names;
  }

  // What a measurement prints; the Error says which one failed.
  base::Result<std::string> measure(const std::string& measurement) const {
    std::vector<std::string> command = {path_, measurement};
    if (quick_) command.emplace_back("--quick");
    return output_of(command, trial::interruptible(measurement_timeout));
  }

 private:
  std::string path_;
  bool quick_;
};

// A contender that also remembers the extra numbers of every run.
class Contender {
 public:
  Contender(const MeasuringProgram& program, std::string measurement,
            const std::vector<EngineExtra>& wanted)
      : program_(program), measurement_(std::move(measurement)), wanted_(wanted) {}

  base::Result<double> measure() {
    const auto output = program_.measure(measurement_);
    if (!output) return output.error();
    for (const EngineExtra& extra : wanted_) {
      const auto number = bench::number_at(*output, std::string("/") + extra.key);
      if (!number) return number.error();
      extras_[extra.key].push_back(*number);
    }
    return bench::number_at(*output, "/value");
  }

  const std::string& measurement() const { return measurement_; }
  // By repetition, without the one that warmed up.
  std::vector<double> extra(const char* key) const {
    const std::vector<double>& all = extras_.at(key);
    return {all.begin() + 1, all.end()};
  }

 private:
  const MeasuringProgram& program_;
  std::string measurement_;
  const std::vector<EngineExtra>& wanted_;
  std::map<std::string, std::vector<double>> extras_;
};

base::Status compare(const EngineComparison& comparison, const std::vector<EngineRival>& rivals,
                     const MeasuringProgram& program, const bench::Options& options,
                     bench::Progress& progress, bench::Report& report) {
  std::vector<Contender> contenders;
  contenders.emplace_back(program, comparison.ours, comparison.extras);
  for (const EngineRival& rival : rivals) {
    contenders.emplace_back(program, rival.measurement, comparison.extras);
  }
  std::vector<bench::Contender> interleaved;
  for (Contender& contender : contenders) {
    interleaved.push_back({contender.measurement(), [&contender] { return contender.measure(); }});
  }
  const auto samples = bench::run_interleaved(interleaved, options.repeats, progress);
  if (!samples) return samples.error();

  for (std::size_t i = 0; i < rivals.size(); ++i) {
    report.rows.push_back(bench::make_row(comparison.name, comparison.unit, (*samples)[0],
                                          (*samples)[i + 1], rivals[i].name, options.seed,
                                          rivals[i].bar));
    for (const EngineExtra& extra : comparison.extras) {
      if (i > 0) break;
      report.rows.push_back(bench::make_row(extra.name, extra.unit, contenders[0].extra(extra.key),
                                            contenders[1].extra(extra.key), rivals[0].name,
                                            options.seed));
    }
  }
  return base::Done{};
}

// Those of the rivals that the program was built with.
base::Result<std::vector<EngineRival>> choose_rivals(const EngineComparison& comparison,
                                                     const std::set<std::string>& built,
                                                     bool allow_missing, bench::Report& report) {
  std::vector<EngineRival> rivals;
  for (const EngineRival& rival : comparison.rivals) {
    if (built.contains(rival.measurement)) {
      rivals.push_back(rival);
    } else if (!allow_missing) {
      return base::Error{std::string(program_name) + " was built without " + rival.name +
                         "; install it with `scripts/deps bench` and build again, or leave it out "
                         "with --allow-missing"};
    } else {
      report.notes.push_back(std::string(comparison.name) + ": " + rival.name +
                             " is not installed and was left out (--allow-missing)");
    }
  }
  return rivals;
}

}  // namespace

base::Result<bench::Report> bench_engine(const bench::Options& options, bench::Progress& progress) {
  const auto path = find_measuring_program(program_name, "bench/engine");
  if (!path) return path.error();
  const MeasuringProgram program(*path, options.quick);
  const auto built = program.measurements();
  if (!built) return built.error();

  // What is missing is said before anything is measured.
  bench::Report report;
  std::vector<std::vector<EngineRival>> rivals;
  for (const EngineComparison& comparison : engine_comparisons()) {
    auto chosen = choose_rivals(comparison, *built, options.allow_missing, report);
    if (!chosen) return chosen.error();
    rivals.push_back(std::move(*chosen));
  }
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    if (rivals[i].empty()) continue;
    const auto status =
        compare(engine_comparisons()[i], rivals[i], program, options, progress, report);
    if (!status) return status.error();
  }
  report.notes.emplace_back("of its CPU: what the server used; well below 1, the load was slower");
  report.notes.emplace_back("less available: on the whole machine, whose other programs move it");
  return report;
}

}  // namespace weft::tool
