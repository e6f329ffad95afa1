// SPDX-License-Identifier: Apache-2.0
// Program: a thread sleeps until it is told that something is ready.
#pragma once

#include "base/atomic.h"
#include "model/model.h"

namespace weft::model {

struct Event {
  atomic<bool> ready{false};
  atomic<int> sequence{0};  // what sleepers sleep on; moved by each wake-up
};

// The sequence is read before the check: a wake-up after the check has moved it, and ends the
// sleep.
struct RecheckBySequence {
  static void sleep_until_ready(Event& event) {
    for (;;) {
      const int seen = event.sequence.load();
      if (event.ready.load()) return;
      event.sequence.wait(seen);
    }
  }
};

template <class Policy = RecheckBySequence>
void event(Program& program) {
  auto& event = program.make<Event>();
  for (int i = 0; i < 2; ++i) {
    program.thread([&] {
      Policy::sleep_until_ready(event);
      check(event.ready.load(), "woken too early");
    });
  }
  program.thread([&] {
    event.ready.store(true);
    event.sequence.fetch_add(1);
    event.sequence.notify_all();
  });
}

}  // namespace weft::model
