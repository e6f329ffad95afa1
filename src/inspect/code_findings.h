// SPDX-License-Identifier: Apache-2.0
// What the code of a program and of its libraries means for weft. Pure.
#pragma once

#include <string>
#include <vector>

#include "inspect/finding.h"
#include "inspect/system_calls.h"

namespace weft::inspect {

// What was seen in one file.
struct CodeFacts {
  std::string name;  // of the file, without its directories
  bool is_go = false;
  bool makes_threads = false;  // wants pthread_create or thrd_create
  std::vector<SystemCallSite> system_calls = {};
};

CodeFacts read_code(const std::string& name, const Elf& elf);

// The first file is the program, the others are its libraries but for those of libc.
std::vector<Finding> judge(const std::vector<CodeFacts>& files);

// "futex in gomp_barrier_wait, read in fill (2)": the places with the same name counted together,
// at most `most` of them.
std::string describe(const std::vector<SystemCallSite>& sites, std::size_t most);

}  // namespace weft::inspect
