// SPDX-License-Identifier: Apache-2.0
// A mutant: a program with a bug planted in it, and how the checker has to find it.
//
// To add one: a file mutants/NAME.cc that holds the mutant and its TEST, which calls
// expect_caught().
#pragma once

#include <string>
#include <vector>

#include "model/model.h"

namespace weft::model {

struct Mutant {
  std::string planted;                // what is wrong
  std::vector<std::string> found_as;  // a part of the failure's text: one of these
  Body body;
  bool needs_delayed_stores = false;  // and is right without
};

// Expects that random search finds the bug soon, whatever the seed; that exhaustive search finds
// it; that it needs delayed stores if, and only if, the mutant says so; and that each failure comes
// again from its choices.
void expect_caught(const Mutant& mutant);

}  // namespace weft::model
