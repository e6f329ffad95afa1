// SPDX-License-Identifier: Apache-2.0
// How each rival is asked.
#include "bench_budget_rivals.h"

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.h"
#include "bench/interrupt.h"

namespace weft::tool {
namespace {

using Command = std::vector<std::string>;

constexpr std::chrono::seconds compile_timeout{120};

constexpr const char* go_program = R"(package main

import (
	"fmt"
	"runtime"
)

func main() { fmt.Println(runtime.GOMAXPROCS(0)) }
)";

constexpr const char* java_program = R"(public class Cpus {
  public static void main(String[] arguments) {
    System.out.println(Runtime.getRuntime().availableProcessors());
  }
}
)";

// "1.19" of "go1.19.8".
std::string go_language_version(std::string_view version) {
  version = base::trim(version);
  version.remove_prefix(std::min<std::size_t>(2, version.size()));
  const std::string major(base::take_until(version, '.'));
  return major + "." + std::string(base::take_until(version, '.'));
}

base::Result<Command> compile_go(const std::string& go,
                                 const bench::TemporaryDirectory& directory) {
  const std::string place = directory.path().string();
  const sandbox::RunOptions offline = {
      .environment = {"GOCACHE=" + place + "/go-cache", "GOPATH=" + place + "/go-path",
                      "GOFLAGS=", "GOPROXY=off", "GOTOOLCHAIN=local", "GOENV=off", "GOWORK=off",
                      "CGO_ENABLED=0"},
      .timeout = compile_timeout};
  const auto version = output_of({go, "env", "GOVERSION"}, offline);
  if (!version) return version.error();
  // A module, because without one Go behaves as its version 1.20 did, whatever version it is, and
  // that one did not know of quotas.
  const auto module =
      directory.write("go.mod", "module cpus\n\ngo " + go_language_version(*version) + "\n");
  if (!module) return module.error();
  const auto source = directory.write("cpus.go", go_program);
  if (!source) return source.error();
  const std::string program = place + "/cpus";
  const auto built =
      output_of({"env", "--chdir=" + place, go, "build", "-o", program, "cpus.go"}, offline);
  if (!built) return built.error();
  return Command{program};
}

base::Result<Command> compile_java(const std::string& java,
                                   const bench::TemporaryDirectory& directory) {
  const auto source = directory.write("Cpus.java", java_program);
  if (!source) return source.error();
  // The compiler as a module: a runtime environment without development tools has it too.
  const auto compiled = output_of({java, "-m", "jdk.compiler/com.sun.tools.javac.Main", "-d",
                                   directory.path().string(), *source},
                                  {.timeout = compile_timeout});
  if (!compiled) return compiled.error();
  return Command{java, "-cp", directory.path().string(), "Cpus"};
}

base::Result<Command> plain(Command command) {
  return command;
}

// How to get from an installed program to a command that prints a number.
struct Recipe {
  const char* name;
  const char* program;
  const char* version_option;
  base::Result<Command> (*prepare)(const std::string& program,
                                   const bench::TemporaryDirectory& directory);
};

using Directory = bench::TemporaryDirectory;

constexpr Recipe recipes[] = {
    {"nproc", "nproc", "--version",
     [](const std::string& program, const Directory&) { return plain({program}); }},
    {"Python", "python3", "--version",
     [](const std::string& program, const Directory&) {
       return plain({program, "-c", "import os; print(len(os.sched_getaffinity(0)))"});
     }},
    {"Node", "node", "--version",
     [](const std::string& program, const Directory&) {
       return plain({program, "-p",
                     "const os = require('os'); os.availableParallelism?.() ?? os.cpus().length"});
     }},
    {"Go", "go", "version", compile_go},
    {"OpenJDK", "java", "--version", compile_java},
};

std::string first_line(std::string_view text) {
  return std::string(base::trim(base::take_until(text, '\n')));
}

}  // namespace

base::Result<Rivals> prepare_rivals(const bench::TemporaryDirectory& directory, bool allow_missing,
                                    bench::Progress& progress) {
  Rivals rivals;
  for (const Recipe& recipe : recipes) {
    if (bench::find_program(recipe.program).empty()) rivals.missing.emplace_back(recipe.name);
  }
  if (!rivals.missing.empty() && !allow_missing) return bench::missing_rivals(rivals.missing);

  for (const Recipe& recipe : recipes) {
    const std::string program = bench::find_program(recipe.program);
    if (program.empty()) continue;
    if (const auto status = bench::check_interrupt(); !status) return status.error();
    progress.show(std::string("preparing ") + recipe.name);
    const auto version = output_of({program, recipe.version_option}, {});
    if (!version) return version.error();
    auto command = recipe.prepare(program, directory);
    if (!command) return command.error();
    rivals.ready.push_back({recipe.name, first_line(*version), std::move(*command)});
  }
  return rivals;
}

base::Result<double> ask(const Rival& rival, const sandbox::RunOptions& options) {
  const auto output = output_of(rival.command, options);
  if (!output) return output.error();
  const auto number = base::to_number<unsigned>(base::trim(*output));
  if (!number) {
    return base::Error{rival.name + " was to print one whole number and printed '" +
                       base::printable(base::trim(*output)) + "'"};
  }
  return *number;
}

base::Result<std::string> output_of(const std::vector<std::string>& command,
                                    const sandbox::RunOptions& options) {
  const auto finished = sandbox::run(command, options);
  if (!finished) return finished.error();
  if (finished->exit_code != 0) {
    const std::string_view complaint = base::trim(
        finished->errors.empty() ? std::string_view(finished->output) : finished->errors);
    return base::Error{command.front() + " failed with exit code " +
                       std::to_string(finished->exit_code) + ": " +
                       base::printable(complaint, 200)};
  }
  return finished->output;
}

void forget_overrides() {
  for (const char* const name : {"CPU_LIMIT", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "GOMAXPROCS",
                                 "GODEBUG", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS",
                                 "_JAVA_OPTIONS", "NODE_OPTIONS", "PYTHON_CPU_COUNT"}) {
    unsetenv(name);
  }
}

}  // namespace weft::tool
