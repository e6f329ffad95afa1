// SPDX-License-Identifier: Apache-2.0
// Chooses the cells, looks for who is needed, measures, and puts report and page together.
#include "bench_http.h"

#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "bench/interrupt.h"
#include "bench/rivals.h"
#include "bench_budget_rivals.h"
#include "bench_choose.h"
#include "bench_http_cells.h"
#include "bench_http_page.h"
#include "bench_http_run.h"
#include "bench_http_sources.h"
#include "os/file.h"
#include "trial/cpus.h"

namespace weft::tool {
namespace {

base::Result<HttpMachine> look_at_machine() {
  const auto cpus = trial::allowed_cpus(2);
  if (!cpus) return cpus.error();
  if (cpus->size() < 2) {
    return base::Error{"needs two CPUs, one for the server and one for the generator"};
  }
  return HttpMachine{.server_cpu = cpus->front(),
                     .generator_cpu = cpus->back(),
                     .weft = std::filesystem::read_symlink("/proc/self/exe").string(),
                     .wrk = bench::find_program("wrk"),
                     .h2load = bench::find_program("h2load")};
}

void raise_descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

bool has_generator(const HttpMachine& machine, const HttpContender& contender) {
  return contender.generator == HttpGenerator::weft ||
         !(contender.generator == HttpGenerator::wrk ? machine.wrk : machine.h2load).empty();
}

// Generators that are wanted and not there.
std::vector<std::string> missing_generators(const std::vector<HttpCell>& cells,
                                            const HttpMachine& machine) {
  std::set<std::string> missing;
  for (const HttpCell& cell : cells) {
    for (const HttpContender& contender : cell.contenders) {
      if (has_generator(machine, contender)) continue;
      missing.insert(contender.generator == HttpGenerator::wrk ? "wrk" : "h2load (nghttp2-client)");
    }
  }
  return {missing.begin(), missing.end()};
}

std::set<HttpServerKind> kinds_of(const std::vector<HttpCell>& cells) {
  std::set<HttpServerKind> kinds;
  for (const HttpCell& cell : cells) {
    for (const HttpContender& contender : cell.contenders) kinds.insert(contender.kind);
  }
  return kinds;
}

// Leaves out who is not there, and cells in which nobody is left; says so.
std::vector<HttpCell> without_missing(std::vector<HttpCell> cells, const HttpPeers& peers,
                                      const HttpMachine& machine, bench::Report& report) {
  std::set<std::string> unknown;
  for (HttpCell& cell : cells) {
    std::erase_if(cell.contenders, [&](const HttpContender& contender) {
      const bool is_known = contender.policy.empty() || peers.knows_policy(contender.policy);
      if (!is_known) unknown.insert(contender.policy);
      return !is_known || !peers.has(contender.kind) || !has_generator(machine, contender);
    });
  }
  std::erase_if(cells, [](const HttpCell& cell) { return cell.contenders.empty(); });
  for (const std::string& policy : unknown) {
    report.notes.push_back("this weft serve has no policy " + policy + "; it was left out");
  }
  return cells;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string cpu_model() {
  const auto text = os::read_text("/proc/cpuinfo");
  if (!text) return "unknown";
  for (std::string_view rest = *text; !rest.empty();) {
    std::string_view line = base::take_until(rest, '\n');
    if (base::trim(base::take_until(line, ':')) == "model name") {
      return base::printable(base::trim(line));
    }
  }
  return "unknown";
}

std::string load_average() {
  const auto text = os::read_text("/proc/loadavg");
  return text ? std::string(base::trim(*text)) : "unknown";
}

HttpPageFacts facts_of(const bench::Options& options, const HttpMachine& machine,
                       const HttpPeers& peers) {
  HttpPageFacts facts;
  facts.command = "weft bench http --seed " + std::to_string(options.seed) +
                  (options.quick ? " --quick" : " --repeats " + std::to_string(options.repeats)) +
                  (options.only.empty() ? "" : " --only '" + options.only + "'") +
                  (options.allow_missing ? " --allow-missing" : "") + " --report FILE.html";
  const std::time_t now = std::time(nullptr);
  char date[32] = {};
  std::tm parts{};
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", ::gmtime_r(&now, &parts));
  facts.date = date;
  utsname system{};
  ::uname(&system);
  facts.machine = {{"kernel", std::string(system.sysname) + " " + system.release},
                   {"CPU", cpu_model()},
                   {"server on CPU", std::to_string(machine.server_cpu)},
                   {"generator on CPU", std::to_string(machine.generator_cpu)},
                   {"load average before", load_average()},
                   {"seed", std::to_string(options.seed)},
                   {"rounds", std::to_string(options.repeats)}};
  facts.versions = peers.versions();
  for (const std::string& generator : {machine.wrk, machine.h2load}) {
    if (generator.empty()) continue;
    // wrk takes -v for a mistake, and h2load's is another option.
    const bool is_wrk = generator == machine.wrk;
    facts.versions.emplace_back(is_wrk ? "wrk" : "h2load",
                                version_of({generator, is_wrk ? "-v" : "--version"}));
  }
  facts.settings = {{"nginx", nginx_settings},
                    {"Apache httpd", apache_settings},
                    {"Apache httpd: handlers", apache_module_source},
                    {"Go", go_server_source},
                    {"bare loop", bare_loop_source},
                    {"Node, 128 worker_threads", node_server_source}};
  return facts;
}

void add_load_commands(const std::vector<HttpSamples>& all, const HttpRunner& runner,
                       HttpPageFacts& facts) {
  for (const HttpSamples& samples : all) {
    const HttpCell& cell = samples.cell;
    std::string text;
    if (!cell.load.segments.empty()) text += "segments.json: " + cell.load.segments + "\n";
    text += joined(runner.words_to_load(cell, cell.contenders.front(), "http://127.0.0.1:PORT"));
    for (const HttpContender& contender : cell.contenders) {
      if (contender.options.empty()) continue;
      text += "\n" + contender.name + ": weft serve FOLDER --test-handlers " +
              joined(contender.options);
    }
    facts.load_commands.push_back(std::move(text));
  }
}

base::Status write_page(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return os::last_error("write", path);
  return base::Done{};
}

}  // namespace

base::Result<bench::Report> bench_http(const bench::Options& options, bench::Progress& progress) {
  forget_overrides();
  auto chosen = choose_cells(http_cells(options.quick), options);
  if (!chosen) return chosen.error();
  const auto machine = look_at_machine();
  if (!machine) return machine.error();
  raise_descriptor_limit();
  // What cannot be written is better known before than after an hour.
  if (!options.report.empty() && !std::ofstream(options.report, std::ios::app)) {
    return os::last_error("write", options.report);
  }
  bench::Report report;
  const auto missing = missing_generators(*chosen, *machine);
  if (!missing.empty() && !options.allow_missing) return bench::missing_rivals(missing);
  const auto directory = bench::TemporaryDirectory::create();
  if (!directory) return directory.error();
  const auto peers =
      HttpPeers::prepare(*directory, kinds_of(*chosen), options.allow_missing, progress);
  if (!peers) return peers.error();
  for (const auto& list : {missing, peers->missing()}) {
    for (const std::string& name : list) {
      report.notes.push_back(name + " is not installed and was left out (--allow-missing)");
    }
  }
  HttpPageFacts facts = facts_of(options, *machine, *peers);
  HttpRunner runner(*peers, *machine, directory->path().string(), options, progress);
  std::vector<HttpSamples> all;
  for (const HttpCell& cell : without_missing(std::move(*chosen), *peers, *machine, report)) {
    auto samples = runner.measure(cell);
    if (!samples) return samples.error();
    all.push_back(std::move(*samples));
  }
  add_to_report(all, options.seed, report);
  if (options.quick) {
    report.notes.emplace_back("measured quickly, once: to see that it works, no numbers to quote");
    for (bench::Row& row : report.rows) {
      row.bar.reset();
      row.holds.reset();
    }
  }
  if (!options.report.empty()) {
    add_load_commands(all, runner, facts);
    if (auto status = write_page(options.report, http_page(report, all, facts)); !status) {
      return status.error();
    }
  }
  return report;
}

}  // namespace weft::tool
