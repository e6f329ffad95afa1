// SPDX-License-Identifier: Apache-2.0
// `weft run`: becomes the program, with the preload library in it and told what was asked for.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "exit_code.h"
#include "inspect/old_pages.h"
#include "inspect/program.h"
#include "inspect/search_path.h"
#include "run_environment.h"
#include "run_library.h"

namespace weft::tool {
namespace {

struct Arguments {
  RunOptions options;
  std::vector<std::string> program;
};

constexpr const char* footer =
    "Examples:\n"
    "  weft run mariadbd --datadir=/srv/db         as many workers as the CPU budget has room for\n"
    "  weft run --stats -- ./server --threads 512  and what happened, at the end\n"
    "  weft run --keep-native 'signal*' ./server   a thread that is to stay the kernel's\n"
    "  weft run --children all ./start.sh          a script that starts the server\n"
    "\nThe program takes weft's place: same process, same exit status, same signals. Every option\n"
    "has a variable (WEFT_WORKERS and so on; see man weft-run), for use without this command.\n"
    "\nExit status: that of the program; 2 an option makes no sense or the library is missing;\n"
    "126 the program cannot be run under weft; 127 there is no such program.\n";

int fail(const std::string& message, int exit_code) {
  std::cerr << "weft run: " << message << '\n';
  return exit_code;
}

// Replaces this process; comes back only where the kernel refuses.
int become(const inspect::Program& program) {
  std::vector<char*> words;
  words.reserve(program.arguments.size() + 1);
  for (const std::string& word : program.arguments)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execve(program.path.c_str(), words.data(), environ);
  const int code = errno;
  std::string advice;
  if (code == E2BIG) advice = "; its arguments and environment are too long";
  if (code == ENOEXEC) advice = "; it is not a program that this machine can run";
  return fail("cannot run " + program.path + ": " + std::strerror(code) + advice,
              code == ENOENT ? inspect::exit_not_found : inspect::exit_cannot_execute);
}

int run(const Arguments& arguments) {
  if (arguments.program.empty()) {
    return fail(
        "no program given: write it behind the options, as in 'weft run -- mariadbd'. See "
        "'weft help run'.",
        exit_usage);
  }
  if (arguments.program.front().empty()) {
    return fail("the program's name is empty: look at what should have filled it in",
                inspect::exit_not_found);
  }
  const auto library = find_preload_library();
  if (!library) return fail(library.error().message, exit_usage);
  const auto assignments = assignments_for(arguments.options, *library, std::getenv);
  if (!assignments) return fail(assignments.error().message, exit_usage);
  const inspect::Program program = inspect::find(arguments.program, inspect::search_path_here());
  if (program.refusal) return fail(program.refusal->reason, program.refusal->exit_code);

  inspect::remove_pages_of_the_gone("/dev/shm");
  for (const auto& [name, value] : program.assignments) ::setenv(name.c_str(), value.c_str(), 1);
  for (const auto& [name, value] : *assignments) ::setenv(name.c_str(), value.c_str(), 1);
  return become(program);
}

Description describe() {
  const auto arguments = std::make_shared<Arguments>();
  RunOptions& options = arguments->options;
  return {
      {
          {.name = "--workers",
           .help = "Threads that run the program's threads [auto: the CPU budget, followed live]",
           .target = &options.workers,
           .value_text = "N|auto"},
          {.name = "--keep-native",
           .help = "Leave threads of this name, or with this start routine, to the kernel; may be "
                   "given more than once",
           .target = &options.keep_native,
           .value_text = "PATTERN"},
          {.name = "--stats",
           .help = "Print at the end what happened: switches, waits, trips home, stuck calls",
           .target = &options.stats},
          {.name = "--report",
           .help = "Write the same to this file, as JSON",
           .target = &options.report,
           .value_text = "FILE"},
          {.name = "--children",
           .help = "Which programs that it starts run under weft too [same: the same binary]",
           .target = &options.children,
           .value_text = "none|same|all"},
          {.name = "--host-cpus",
           .help = "Tell the program the CPUs of the host where it asks, not the budget",
           .target = &options.host_cpus},
          {.name = "--verbose",
           .help = "Say in one line at the start which paths are used, and why",
           .target = &options.verbose},
      },
      [arguments] { return run(*arguments); },
      &arguments->program,
  };
}

}  // namespace

const Command run_command{"run", "Run an unmodified program with its threads as fibers", footer,
                          describe};

}  // namespace weft::tool
