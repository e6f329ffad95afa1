// SPDX-License-Identifier: Apache-2.0
// The weft program: finds the command, parses its options, runs it. The only file with CLI11.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cerrno>
#include <cstring>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "completion.h"
#include "exit_code.h"
#include "program_words.h"
#include "suggest.h"
#include "version.h"

namespace weft::tool {
namespace {

constexpr const char* description =
    "weft runs your threads on the CPUs you actually own.\n"
    "See 'weft help COMMAND' for one command, and man weft for all of it.";

constexpr const char* program_words = "PROGRAM";  // how help names them

void add_option(CLI::App& app, const Option& option) {
  CLI::Option* added = nullptr;
  std::visit(
      [&](auto* target) {
        if constexpr (std::is_same_v<decltype(target), bool*>) {
          added = app.add_flag(option.name, *target, option.help);
        } else {
          added = app.add_option(option.name, *target, option.help);
        }
        if constexpr (std::is_same_v<decltype(target), std::vector<std::string>*>) {
          // One word for each time, so that the next one is not swallowed.
          if (option.name.starts_with("-")) added->allow_extra_args(false);
        }
      },
      option.target);
  if (option.most != 0) added->check(CLI::Range(option.least, option.most));
  if (option.is_directory) added->check(CLI::ExistingDirectory);
  if (!option.value_text.empty()) added->option_text(option.value_text);
}

// Adds a command with its options; `action` is set when it is the one that was given.
void add_command(CLI::App& app, const char* name, const char* summary, const char* footer,
                 const Description& command, std::function<int()>& action) {
  CLI::App* const sub = app.add_subcommand(name, summary)->group("Commands");
  sub->footer(footer);
  for (const Option& option : command.options) add_option(*sub, option);
  // For the help only: main takes the words before CLI11 sees them.
  if (command.program != nullptr) {
    sub->add_option(program_words, *command.program, "The program, and its arguments behind it")
        ->option_text("[ARGUMENTS...]");
  }
  for (const Option& option : command.options) {
    for (const auto& other : option.needs)
      sub->get_option(option.name)->needs(sub->get_option(other));
    for (const auto& other : option.excludes) {
      sub->get_option(option.name)->excludes(sub->get_option(other));
    }
  }
  sub->callback([&action, run = command.action] { action = run; });
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<CommandWords> words_of(const CLI::App& app) {
  std::vector<CommandWords> all;
  for (const CLI::App* command : app.get_subcommands({})) {
    all.push_back({command->get_name(), option_names(*command),
                   command->get_option_no_throw(program_words) != nullptr});
  }
  return all;
}

// A parse error in our own words: what, what was perhaps meant, and where to read on.
int report(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const CLI::App& at = chosen.empty() ? app : *chosen.front();
  const std::string name = chosen.empty() ? "weft" : "weft " + at.get_name();
  std::string text = error.what();
  if (const auto extras = at.remaining(true); !extras.empty()) {
    const std::string& word = extras.front();
    text = (word.starts_with("-") ? "unknown option '" : "unexpected argument '") + word + "'." +
           did_you_mean(word.substr(0, word.find('=')), option_names(at));
  }
  std::cerr << name << ": " << text << " See '"
            << (chosen.empty() ? "weft --help" : "weft help " + at.get_name()) << "'.\n";
  return exit_usage;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

int unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  std::cerr << "weft: unknown command '" << word << "'." << did_you_mean(word, names)
            << " See 'weft --help'.\n";
  return exit_usage;
}

// Takes the words of the program off the command line; gives how many are left.
int take_program(int argc, char** argv, const Description& command) {
  if (command.program == nullptr) return argc;
  const std::span<char* const> words(argv + 2, static_cast<std::size_t>(argc) - 2);
  const std::size_t own = count_own_words(words, command.options);
  std::span<char* const> rest = words.subspan(own);
  if (!rest.empty() && rest.front() == std::string_view("--")) rest = rest.subspan(1);
  command.program->assign(rest.begin(), rest.end());
  return static_cast<int>(own) + 2;
}

int run(int argc, char** argv) {
  CLI::App app(description, "weft");
  app.set_version_flag("--version", std::string("weft ") + version_text);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->column_width(26);
  app.require_subcommand(0, 1);  // else 'weft help budget' would be two commands

  std::function<int()> action;
  for (const Command* command : {&run_command, &doctor_command, &symbols_command, &budget_command,
                                 &serve_command, &load_command, &bench_command}) {
    const Description description = command->describe();
    add_command(app, command->name, command->summary, command->footer, description, action);
    if (argc > 1 && argv[1] == std::string_view(command->name)) {
      argc = take_program(argc, argv, description);
    }
  }
  std::string topic;
  std::string main_help;
  const auto explain = [&] {
    const CLI::App* const command = topic.empty() ? nullptr : find_command(app, topic);
    if (!topic.empty() && command == nullptr) return unknown_command(app, topic);
    std::cout << (command != nullptr ? command->help("weft") : main_help);
    return exit_done;
  };
  add_command(app, "help", "Explain a command", "",
              {{{.name = "COMMAND", .help = "The command to explain", .target = &topic}}, explain},
              action);
  const auto complete = [&] {
    std::cout << bash_completion(words_of(app));
    return exit_done;
  };
  add_command(app, "completion", "Print a completion script for bash", "", {{}, complete}, action);
  // Taken before parsing: afterwards CLI11 would print the help of the command that was given.
  main_help = app.help();

  if (argc > 1 && argv[1][0] != '-' && find_command(app, argv[1]) == nullptr) {
    return unknown_command(app, argv[1]);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help and --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(app, error);
  }
  if (!action) {
    std::cout << main_help;
    return exit_done;
  }
  const int exit_code = action();
  errno = 0;
  if (!std::cout.flush()) {
    std::cerr << "weft: cannot write to standard output"
              << (errno != 0 ? std::string(": ") + std::strerror(errno) : "") << '\n';
    return exit_problem;
  }
  return exit_code;
}

}  // namespace
}  // namespace weft::tool

int main(int argc, char** argv) {
  try {
    return weft::tool::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "weft: " << error.what() << '\n';
    return weft::tool::exit_problem;
  }
}
