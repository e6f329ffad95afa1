// SPDX-License-Identifier: Apache-2.0
// Finding: one line of what the doctor says.
#pragma once

#include <string>

namespace weft::inspect {

enum class Verdict {
  ok,
  slower,  // it works, by a slower way, or not for everything
  no,      // it cannot work
};

inline const char* to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::slower:
      return "slower";
    case Verdict::no:
      return "no";
  }
  return "";
}

struct Finding {
  std::string subject;  // "kernel", "io_uring": a word or two
  Verdict verdict = Verdict::ok;
  std::string what;         // what was found, as one clause
  std::string advice = {};  // what to do; empty where nothing is to be done
};

}  // namespace weft::inspect
