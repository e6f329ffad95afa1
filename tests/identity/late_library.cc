// SPDX-License-Identifier: Apache-2.0
// A library that is loaded late: its thread_local variables are found through the dynamic vector.
#include <atomic>

namespace {

std::atomic<int> constructed{0};
std::atomic<int> destroyed{0};

struct Counted {
  Counted() { ++constructed; }
  ~Counted() { ++destroyed; }
  int value = 42;
};

thread_local Counted counted;
thread_local int plain = 7;

}  // namespace

extern "C" {
int* late_counted() {
  return &counted.value;
}
int* late_plain() {
  return &plain;
}
int late_constructed() {
  return constructed;
}
int late_destroyed() {
  return destroyed;
}
}
