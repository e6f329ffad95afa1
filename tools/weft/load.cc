// SPDX-License-Identifier: Apache-2.0
// `weft load`: requests by a schedule, and what became of them. Exit code 3: the run is void.
#include "load.h"

#include <unistd.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "bench/interrupt.h"
#include "bench/progress.h"
#include "command.h"
#include "exit_code.h"
#include "load/samples_text.h"

namespace weft::tool {
namespace {

constexpr int exit_void = 3;

constexpr const char* footer =
    "Latency counts from the intended start: a request that had to wait because the server "
    "stalled\n"
    "is charged for it. What never got a whole answer counts with the time-out.\n"
    "\n"
    "  weft load http://127.0.0.1:8080/ --rate 200 --burst 10x:200ms/2s --duration 30s\n"
    "  weft load 95=http://127.0.0.1:8080/a 5=http://127.0.0.1:8080/b --rate 500\n"
    "  weft load http://127.0.0.1:8080/ --closed --connections 64\n"
    "\n"
    "Exit status: 0 done; 1 nothing was answered well, or a file could not be written; 2 could "
    "not\n"
    "run as asked; 3 the run is void: the generator was late or short of CPU.\n";

int fail(const std::string& message, int exit_code) {
  std::cerr << "weft load: " << message << "\n";
  return exit_code;
}

std::string progress_line(const load::Progress& progress) {
  const double elapsed = std::chrono::duration<double>(progress.elapsed).count();
  const double length = std::chrono::duration<double>(progress.length).count();
  return fmt::format("{:.1f} of {:.1f} s   {} answered   {} failed   {:.0f} a second", elapsed,
                     length, progress.ended - progress.failed, progress.failed,
                     elapsed > 0 ? static_cast<double>(progress.ended) / elapsed : 0);
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return true;
  fail("cannot write " + base::printable(path), exit_problem);
  return false;
}

// Files are opened before the run: what cannot be written is better known then.
base::Status check_writable(const LoadArguments& arguments) {
  for (const std::string& path : {arguments.json, arguments.samples, arguments.svg}) {
    if (path.empty() || path == "-") continue;
    if (!std::ofstream(path, std::ios::app)) {
      return base::Error{"cannot write to " + base::printable(path)};
    }
  }
  return base::Done{};
}

bool write_report(const LoadArguments& arguments, const load::Plan& plan,
                  const load::Report& report, const std::vector<load::Overlay>& overlays) {
  bool is_written = true;
  if (arguments.json == "-") {
    std::cout << load_json(plan, report);
  } else {
    std::cout << load_table(plan, report);
    if (!arguments.json.empty()) is_written &= write_file(arguments.json, load_json(plan, report));
  }
  if (!arguments.samples.empty())
    is_written &= write_file(arguments.samples, load::samples_text(report.samples, report.phases));
  if (!arguments.svg.empty()) {
    is_written &= write_file(arguments.svg, load::to_svg(report, plan.timeout, overlays));
  }
  return is_written;
}

int run(const LoadArguments& arguments) {
  auto plan = load_plan(arguments);
  if (!plan) return fail(plan.error().message, exit_usage);
  std::vector<load::Overlay> overlays;
  for (const std::string& text : arguments.overlays) {
    auto overlay = read_overlay(text);
    if (!overlay) return fail(overlay.error().message, exit_usage);
    overlays.push_back(std::move(*overlay));
  }
  if (auto fine = check_writable(arguments); !fine) return fail(fine.error().message, exit_usage);

  const bench::InterruptGuard guard;
  bench::Progress line(STDERR_FILENO);
  const auto report = load::run(*plan, [&line](const load::Progress& progress) {
    line.show(progress_line(progress));
    return bench::InterruptGuard::signal() == 0;
  });
  line.clear();
  if (!report) return fail(report.error().message, exit_usage);
  if (!write_report(arguments, *plan, *report, overlays)) return exit_problem;
  std::cout << std::flush;
  if (const int signal = bench::InterruptGuard::signal(); signal != 0) {
    return fail("stopped by signal " + std::to_string(signal), 128 + signal);
  }
  if (report->check.is_void()) {
    return fail("the run is void: " + report->check.void_because.front(), exit_void);
  }
  if (report->summary.counts[static_cast<std::size_t>(load::Outcome::good)] == 0) {
    return fail("not one request was answered well", exit_problem);
  }
  return exit_done;
}

std::vector<Option> request_options(LoadArguments& arguments) {
  return {
      {.name = "URL",
       .help = "What to request; WEIGHT=URL for a mix",
       .target = &arguments.urls,
       .value_text = "..."},
      {.name = "--method",
       .help = "Of every request",
       .target = &arguments.method,
       .value_text = "NAME [GET]"},
      {.name = "--header",
       .help = "'Name: value', as often as wanted",
       .target = &arguments.headers,
       .value_text = "TEXT"},
      {.name = "--body",
       .help = "Of every request",
       .target = &arguments.body,
       .value_text = "TEXT"},
      {.name = "--body-file",
       .help = "The body, out of a file",
       .target = &arguments.body_file,
       .value_text = "FILE",
       .excludes = {"--body"}},
  };
}

std::vector<Option> schedule_options(LoadArguments& arguments) {
  return {
      {.name = "--rate",
       .help = "Requests a second",
       .target = &arguments.rate,
       .value_text = "N [100]"},
      {.name = "--duration",
       .help = "How long: 500ms, 10s, 2m",
       .target = &arguments.duration,
       .value_text = "TIME [10s]"},
      {.name = "--uniform",
       .help = "The same pause between all, instead of Poisson's",
       .target = &arguments.uniform},
      {.name = "--burst",
       .help = "RATE:LENGTH/PERIOD, as 2000:200ms/2s; a rate 10x is of --rate",
       .target = &arguments.burst,
       .value_text = "BURST"},
      {.name = "--ramp",
       .help = "From --rate to this one, evenly",
       .target = &arguments.ramp,
       .value_text = "N",
       .excludes = {"--burst"}},
      {.name = "--on-off",
       .help = "--rate for the first time, nothing for the second: 1s/500ms",
       .target = &arguments.on_off,
       .value_text = "ON/OFF",
       .excludes = {"--burst", "--ramp"}},
      {.name = "--original",
       .help = "Quiet, 100 at a time, cool-down, three times; 105s unless --duration",
       .target = &arguments.original,
       .excludes = {"--rate", "--burst", "--ramp", "--on-off", "--uniform"}},
      {.name = "--schedule",
       .help = "Segments out of a JSON file",
       .target = &arguments.schedule,
       .value_text = "FILE",
       .excludes = {"--rate", "--duration", "--burst", "--ramp", "--on-off", "--original",
                    "--uniform"}},
      {.name = "--seed",
       .help = "Of the schedule and of the mix",
       .target = &arguments.seed,
       .value_text = "N [1]"},
      {.name = "--closed",
       .help = "Each connection asks again when it is answered: for ceilings",
       .target = &arguments.closed,
       .excludes = {"--rate", "--burst", "--ramp", "--on-off", "--original", "--schedule",
                    "--uniform"}},
      {.name = "--requests",
       .help = "End after so many",
       .target = &arguments.requests,
       .value_text = "N",
       .needs = {"--closed"}},
  };
}

std::vector<Option> connection_options(LoadArguments& arguments) {
  constexpr int most_connections = 1'000'000;
  return {
      {.name = "--connections",
       .help = "The most at a time, or with --closed just so many",
       .target = &arguments.connections,
       .value_text = "N [1024, closed 64]",
       .least = 1,
       .most = most_connections},
      {.name = "--ready",
       .help = "Open so many before the start",
       .target = &arguments.ready,
       .value_text = "N [0]",
       .least = 0,
       .most = most_connections,
       .excludes = {"--closed"}},
      {.name = "--new-connections",
       .help = "A new connection for each request",
       .target = &arguments.new_connections,
       .excludes = {"--ready"}},
      {.name = "--timeout",
       .help = "Of a request, from its intended start",
       .target = &arguments.timeout,
       .value_text = "TIME [10s]"},
      {.name = "--insecure",
       .help = "TLS with whatever certificate",
       .target = &arguments.insecure},
      {.name = "--ca",
       .help = "Trust the certificates of this file alone",
       .target = &arguments.authorities,
       .value_text = "FILE",
       .excludes = {"--insecure"}},
      {.name = "--threads",
       .help = "Of the generator",
       .target = &arguments.threads,
       .value_text = "N [1]",
       .least = 1,
       .most = 64},
      {.name = "--cpu",
       .help = "Pin the threads to these CPUs, in turn: 1 or 2,3",
       .target = &arguments.cpus,
       .value_text = "LIST"},
      {.name = "--spin",
       .help = "Never sleep between starts, but look at the clock; with a CPU of its own",
       .target = &arguments.spin,
       .excludes = {"--closed"}},
  };
}

std::vector<Option> output_options(LoadArguments& arguments) {
  return {
      {.name = "--json",
       .help = "The report as JSON; '-': instead of the table",
       .target = &arguments.json,
       .value_text = "FILE"},
      {.name = "--samples",
       .help = "Every request as a line of CSV",
       .target = &arguments.samples,
       .value_text = "FILE"},
      {.name = "--svg",
       .help = "Latency by quantile and over time, as a picture",
       .target = &arguments.svg,
       .value_text = "FILE"},
      {.name = "--overlay",
       .help = "Lay lines 'SECONDS,VALUE' of a file over the picture",
       .target = &arguments.overlays,
       .value_text = "NAME=FILE",
       .needs = {"--svg"}},
  };
}

Description describe() {
  const auto arguments = std::make_shared<LoadArguments>();
  Description description;
  for (const auto& part : {request_options(*arguments), schedule_options(*arguments),
                           connection_options(*arguments), output_options(*arguments)}) {
    description.options.insert(description.options.end(), part.begin(), part.end());
  }
  description.action = [arguments] { return run(*arguments); };
  return description;
}

}  // namespace

const Command load_command{"load", "Load a server by a schedule, and measure honestly", footer,
                           describe};

}  // namespace weft::tool
