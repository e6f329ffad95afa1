// SPDX-License-Identifier: Apache-2.0
// What the code of a program and of its libraries means for weft.
#include "inspect/code_findings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "inspect/libraries.h"

namespace weft::inspect {
namespace {

constexpr std::size_t most_places = 3;

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), number, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

std::string place(const SystemCallSite& site) {
  const std::string call = site.number ? system_call_name(*site.number) : "a call";
  if (site.inside) return call + " in " + site.function;
  return call + " at " + hexadecimal(site.address);
}

std::string count_of(std::size_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

Finding judge_go(const CodeFacts& program) {
  return {"Go", Verdict::slower,
          program.name + " is a Go program: it schedules by itself and calls the kernel by itself",
          "run it without weft; there is nothing to gain"};
}

Finding judge_threads(const std::vector<CodeFacts>& files) {
  std::string makers;
  for (const CodeFacts& file : files) {
    if (file.makes_threads) makers += (makers.empty() ? "" : ", ") + file.name;
  }
  if (makers.empty()) {
    return {"threads", Verdict::ok,
            "neither the program nor its libraries make any; what it loads later may"};
  }
  return {"threads", Verdict::ok, "made by " + makers};
}

// What is waited in, told apart from what only asks.
Finding judge_system_calls(const CodeFacts& file, const std::vector<SystemCallSite>& waits) {
  const std::string what = count_of(waits.size(), "system call") +
                           " of its own to wait in: " + describe(waits, most_places);
  if (auto finding = judge_library(file.name)) {
    finding->what += " (" + what + ")";
    return *finding;
  }
  return {file.name, Verdict::slower, what + "; weft's monitor relieves a worker that is held up",
          "nothing has to be done; threads that mostly wait there can be named with --keep-native"};
}

}  // namespace

CodeFacts read_code(const std::string& name, const Elf& elf) {
  CodeFacts facts;
  facts.name = name;
  facts.is_go = elf.has_section(".go.buildinfo") || elf.has_section(".note.go.buildid");
  facts.makes_threads = elf.imports("pthread_create") || elf.imports("thrd_create");
  facts.system_calls = find_system_calls(elf);
  return facts;
}

std::string describe(const std::vector<SystemCallSite>& sites, std::size_t most) {
  std::vector<std::pair<std::string, std::size_t>> places;
  for (const SystemCallSite& site : sites) {
    const std::string text = place(site);
    const auto found = std::find_if(places.begin(), places.end(),
                                    [&](const auto& entry) { return entry.first == text; });
    if (found != places.end()) {
      ++found->second;
    } else {
      places.emplace_back(text, 1);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(most, places.size()); ++i) {
    text += (i == 0 ? "" : ", ") + places[i].first;
    if (places[i].second > 1) text += " (" + std::to_string(places[i].second) + ")";
  }
  if (places.size() > most) text += " and " + std::to_string(places.size() - most) + " more";
  return text;
}

std::vector<Finding> judge(const std::vector<CodeFacts>& files) {
  std::vector<Finding> all;
  if (files.empty()) return all;
  if (files.front().is_go) all.push_back(judge_go(files.front()));
  all.push_back(judge_threads(files));
  std::size_t without = 0;
  std::string doubtful;
  for (const CodeFacts& file : files) {
    std::vector<SystemCallSite> waits;
    std::size_t doubts = 0;
    for (const SystemCallSite& site : file.system_calls) {
      if (site.doubtful()) {
        ++doubts;
      } else if (may_wait(site)) {
        waits.push_back(site);
      }
    }
    if (!waits.empty()) {
      all.push_back(judge_system_calls(file, waits));
      continue;
    }
    ++without;
    if (doubts > 0) doubtful += (doubtful.empty() ? "" : ", ") + file.name;
    if (auto finding = judge_library(file.name)) all.push_back(*finding);
  }
  if (without == 0) return all;
  std::string what = "none to wait in, in " + count_of(without, "file");
  if (!doubtful.empty()) what += "; what looks like one in " + doubtful + " may be data";
  all.push_back({"own calls", Verdict::ok, what});
  return all;
}

}  // namespace weft::inspect
