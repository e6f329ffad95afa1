// SPDX-License-Identifier: Apache-2.0
// Which binary runs, followed from what was typed.
#include "inspect/program.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>

#include "inspect/mapped_file.h"
#include "inspect/script.h"
#include "inspect/search_path.h"

namespace weft::inspect {
namespace {

constexpr std::size_t first_line_longest = 4'096;
constexpr int most_scripts = 5;  // that run each other; the kernel gives up there, too

std::string_view start_of(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), first_line_longest)};
}

// Sets the refusal for what could not be found or executed; true where it can.
bool accept(const Found& found, const std::string& name, Program& program) {
  if (found.outcome == Found::Outcome::executable) return true;
  if (found.outcome == Found::Outcome::not_executable) {
    program.refusal = Refusal{found.path + ": " + found.reason};
  } else if (name.find('/') != std::string::npos) {
    program.refusal = Refusal{name + ": no such file", exit_not_found};
  } else {
    program.refusal =
        Refusal{name + ": no such program in the directories of PATH", exit_not_found};
  }
  return false;
}

// Puts who runs the script in front of it, as the kernel does.
void put_in_front(std::vector<std::string> interpreter, const std::string& script,
                  std::vector<std::string>& arguments) {
  arguments.front() = script;
  arguments.insert(arguments.begin(), interpreter.begin(), interpreter.end());
}

// One step from a script to who runs it. False where that cannot be, with the refusal set.
bool follow(std::string_view text, std::string_view search_path, Program& program) {
  const std::string script = program.binary;
  program.scripts.push_back(script);
  const auto shebang = parse_shebang(text);
  if (!shebang) {
    // As env and the shells do: what does not say who runs it is run by the shell.
    put_in_front({"sh"}, script, program.arguments);
    program.binary = "/bin/sh";
    program.in_place = true;
    return true;
  }
  std::vector<std::string> words{shebang->interpreter};
  if (shebang->argument) words.push_back(*shebang->argument);
  if (const auto env = parse_env_call(*shebang)) {
    if (!*env) {
      program.refusal = Refusal{script + ": " + env->error().message};
      return false;
    }
    // env is another binary than the one it becomes, and would end weft's reach.
    words = env->value().words;
    const auto& assignments = env->value().assignments;
    program.assignments.insert(program.assignments.end(), assignments.begin(), assignments.end());
    program.in_place = true;
  }
  const bool searched = program.in_place && words.front() != shebang->interpreter;
  const Found found = find_program(words.front(), searched ? search_path : std::string_view());
  if (!accept(found, words.front(), program)) {
    program.refusal->reason = script + ": its interpreter " + program.refusal->reason;
    return false;
  }
  put_in_front(std::move(words), script, program.arguments);
  program.binary = found.path;
  return true;
}

// Judges the binary at the end of the way, and its loader.
std::optional<Refusal> judge_binary(Bytes bytes, const Program& program) {
  const auto elf = Elf::parse(bytes);
  auto refusal = judge(elf, read_privileges(program.binary));
  if (!refusal && elf->loader() && ::access(elf->loader()->c_str(), F_OK) != 0) {
    refusal =
        Refusal{"needs the loader " + *elf->loader() + ", which is not there", exit_not_found};
  }
  if (!refusal) return std::nullopt;
  const bool direct = program.scripts.empty();
  refusal->reason = (direct ? "" : program.scripts.back() + " is run by ") + program.binary +
                    (direct ? " " : ", which ") + refusal->reason;
  return refusal;
}

}  // namespace

Privileges read_privileges(const std::string& path) {
  Privileges privileges;
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    privileges.set_user_id = (status.st_mode & S_ISUID) != 0;
    // Without the group's right to execute, the bit means mandatory locking.
    privileges.set_group_id = (status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0;
  }
  privileges.capabilities = ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  return privileges;
}

std::optional<Refusal> judge(const base::Result<Elf>& elf, const Privileges& privileges) {
  if (!elf) return Refusal{elf.error().message + ": not a program, or not all of it"};
  if (!elf->is_x86_64()) {
    return Refusal{"is for " + architecture_name(*elf) +
                   ", and weft for x86-64: run it without weft"};
  }
  if (elf->type() != ET_EXEC && elf->type() != ET_DYN) {
    return Refusal{"is an ELF file, but not a program: link it first"};
  }
  // The loader itself may be run as a program, and loads what it is told to.
  const bool is_loader = elf->own_name().starts_with("ld-linux");
  if (!elf->loader() && !is_loader) {
    const bool is_go = elf->has_section(".go.buildinfo");
    return Refusal{std::string("is ") + (is_go ? "a Go program, " : "") +
                   "statically linked: weft cannot reach its threads; run it without weft"};
  }
  if (elf->loader() && elf->loader()->find("/ld-linux-x86-64.so") == std::string::npos) {
    return Refusal{"is started by " + *elf->loader() +
                   ", which is not glibc's loader: weft knows the threads of glibc only; run it "
                   "without weft"};
  }
  if (privileges.set_user_id || privileges.set_group_id) {
    return Refusal{
        std::string("has the ") + (privileges.set_user_id ? "set-user-ID" : "set-group-ID") +
        " bit, and the loader ignores LD_PRELOAD in such a program; run it without weft"};
  }
  if (privileges.capabilities) {
    return Refusal{
        "has file capabilities, and the loader ignores LD_PRELOAD in such a program; remove them "
        "(setcap -r) and give them as ambient capabilities (AmbientCapabilities= of systemd, "
        "capsh), or run it without weft"};
  }
  return std::nullopt;
}

Program find(const std::vector<std::string>& words, std::string_view search_path) {
  Program program;
  program.arguments = words;
  const Found found = find_program(words.front(), search_path);
  if (!accept(found, words.front(), program)) return program;
  program.binary = found.path;

  for (int step = 0; step <= most_scripts; ++step) {
    const auto file = MappedFile::open(program.binary);
    program.unread = !file.ok();
    const std::string_view start = file ? start_of(file->bytes()) : std::string_view();
    const bool is_script =
        file && !is_elf(file->bytes()) && (start.starts_with("#!") || is_text(start));
    if (is_script) {
      if (!follow(start, search_path, program)) return program;
      continue;
    }
    if (file) program.refusal = judge_binary(file->bytes(), program);
    program.path = program.in_place ? program.binary : found.path;
    if (!program.in_place) program.arguments = words;
    return program;
  }
  program.refusal = Refusal{found.path + ": scripts that run scripts, without end"};
  return program;
}

}  // namespace weft::inspect
