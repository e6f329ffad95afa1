// SPDX-License-Identifier: Apache-2.0
// A program with fibers in every place that a debugger may find them in: parked, running, at home.
// Says "ready" when they are there, and ends when its input does.
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "fiber/table.h"
#include "sched/park.h"
#include "sched/runtime.h"
#include "sched/thread.h"

using weft::fiber::ParkKind;
using weft::fiber::Place;

// Known to gdb wherever it stands.
constinit std::atomic<int> gate{0};
constinit thread_local int number_of_thread = 0;

namespace {

constexpr int parked_fibers = 3;
constinit std::atomic<int> in_place{0};

[[gnu::noinline]] int wait_at_the_gate(int number) {
  ++in_place;
  while (gate == 0) weft::sched::park(ParkKind::semaphore, &gate);
  return number;
}

[[gnu::noinline]] int serve_visitor(int number) {
  const int answer = wait_at_the_gate(number);
  return answer + 1;
}

[[gnu::noinline]] void spin_at_the_gate() {
  weft::sched::be_away(weft::fiber::self());  // or it would run at home, in a worker's place
  ++in_place;
  while (gate == 0) {
  }
}

[[gnu::noinline]] void wait_at_home() {
  ++in_place;
  while (gate == 0) weft::sched::park(ParkKind::condition, &gate);
}

void* parked_main(void* argument) {
  number_of_thread = 100 + *static_cast<int*>(argument);
  return serve_visitor(number_of_thread) == 0 ? argument : nullptr;
}

void* running_main(void*) {
  spin_at_the_gate();
  return nullptr;
}

void* home_main(void*) {
  weft::sched::at_home("test", wait_at_home);
  return nullptr;
}

int count_stopped() {
  int count = 0;
  weft::fiber::for_each([&](const weft::fiber::Fiber& fiber) {
    const Place place = fiber.place;
    const bool gate_keeper = fiber.waits_for.load() == &gate;
    count += gate_keeper && (place == Place::parked || place == Place::parked_home) ? 1 : 0;
  });
  return count;
}

}  // namespace

int main() {
  weft::sched::Runtime runtime({.workers = 2});
  constexpr int threads = parked_fibers + 2;
  weft::sched::Thread* made[threads] = {};
  int numbers[parked_fibers] = {};
  for (int i = 0; i < parked_fibers; ++i) {
    numbers[i] = i;
    weft::sched::spawn(runtime, nullptr, parked_main, &numbers[i], &made[i]);
  }
  weft::sched::spawn(runtime, nullptr, running_main, nullptr, &made[parked_fibers]);
  weft::sched::spawn(runtime, nullptr, home_main, nullptr, &made[parked_fibers + 1]);
  while (in_place < threads || count_stopped() < parked_fibers + 1) ::usleep(1000);
  std::puts("ready");
  std::fflush(stdout);
  char byte = 0;
  while (::read(0, &byte, 1) > 0) {
  }
  gate = 1;
  weft::fiber::for_each([](weft::fiber::Fiber& fiber) { weft::sched::unpark(fiber); });
  for (weft::sched::Thread* thread : made) weft::sched::join(thread, nullptr);
}
