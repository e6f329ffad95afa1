// SPDX-License-Identifier: Apache-2.0
// One line for each sample.
#include "load/samples_text.h"

#include <array>
#include <cstdio>

namespace weft::load {
namespace {

void add_seconds(std::string& text, nanoseconds time) {
  std::array<char, 32> field{};
  std::snprintf(field.data(), field.size(), "%.9f,", std::chrono::duration<double>(time).count());
  text += field.data();
}

}  // namespace

std::string samples_text(const std::vector<Sample>& samples, const std::vector<Phase>& phases) {
  std::string text = "intended,begun,sent,first_byte,end,connect,status,outcome,request,phase\n";
  for (const Sample& sample : samples) {
    for (const nanoseconds time : {sample.intended, sample.begun, sample.sent, sample.first_byte,
                                   sample.end, sample.connect}) {
      add_seconds(text, time);
    }
    text += std::to_string(sample.status) + "," + name_of(sample.outcome) + "," +
            std::to_string(sample.request) + "," + phases[sample.phase].name + "\n";
  }
  return text;
}

}  // namespace weft::load
