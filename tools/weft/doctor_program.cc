// SPDX-License-Identifier: Apache-2.0
// What the doctor finds about a program.
#include "doctor_program.h"

#include <filesystem>
#include <optional>

#include "base/result.h"
#include "base/text.h"
#include "inspect/code_findings.h"
#include "inspect/libraries.h"
#include "inspect/mapped_file.h"
#include "inspect/program.h"
#include "inspect/search_path.h"
#include "sandbox/run.h"

namespace weft::tool {
namespace {

using inspect::Finding;
using inspect::Verdict;

// Not the one that the program names: that could be anything, and would be run here.
constexpr const char* loader = "/lib64/ld-linux-x86-64.so.2";

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

Finding judge_libraries(const base::Result<sandbox::Finished>& listed,
                        const inspect::LibraryList& libraries) {
  if (!listed) {
    return {"libraries", Verdict::slower, "not known: " + listed.error().message,
            "what they do by themselves is not looked at"};
  }
  if (!libraries.missing.empty()) {
    return {"libraries", Verdict::no, libraries.missing.front() + " is not found",
            "install it, or add its directory to /etc/ld.so.conf or LD_LIBRARY_PATH"};
  }
  if (listed->exit_code != 0) {
    return {"libraries", Verdict::no,
            "the loader says: " + base::printable(base::trim(listed->errors), 200),
            "install what is missing"};
  }
  return {"libraries", Verdict::ok, std::to_string(libraries.found.size()) + ", all found"};
}

void examine_code(const std::string& path, const std::string& name,
                  std::vector<inspect::CodeFacts>& facts) {
  const auto file = inspect::MappedFile::open(path);
  if (!file) return;
  const auto elf = inspect::Elf::parse(file->bytes());
  if (elf) facts.push_back(inspect::read_code(name, *elf));
}

}  // namespace

ProgramExamination examine_program(const std::vector<std::string>& words) {
  const auto program = inspect::find(words, inspect::search_path_here());
  ProgramExamination examination{program.path, program.binary, {}};
  std::vector<Finding>& findings = examination.findings;
  if (program.refusal) {
    findings.push_back({"program", Verdict::no, program.refusal->reason});
    return examination;
  }
  if (program.unread) {
    findings.push_back({"program", Verdict::slower,
                        program.binary + " may be executed, but not read: it is not looked at",
                        "look as somebody who may read it"});
    return examination;
  }
  std::string what =
      program.binary + ": x86-64, dynamically linked, glibc's loader, no set-ID bits";
  if (!program.scripts.empty()) what = program.scripts.front() + " is run by " + what;
  findings.push_back({"program", Verdict::ok, what});

  sandbox::RunOptions options;
  options.environment = {"LD_PRELOAD="};
  const auto listed = sandbox::run({loader, "--list", program.binary}, options);
  const auto libraries = inspect::parse_library_list(listed ? listed->output : std::string());
  findings.push_back(judge_libraries(listed, libraries));

  std::vector<inspect::CodeFacts> facts;
  examine_code(program.binary, file_name(program.binary), facts);
  for (const inspect::Library& library : libraries.found) {
    if (!inspect::belongs_to_libc(library.name)) examine_code(library.path, library.name, facts);
  }
  const auto more = inspect::judge(facts);
  findings.insert(findings.end(), more.begin(), more.end());
  return examination;
}

}  // namespace weft::tool
