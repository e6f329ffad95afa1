// SPDX-License-Identifier: Apache-2.0
// Program: a message in two parts is written, announced, and read whole.
#pragma once

#include "base/atomic.h"
#include "model/model.h"

namespace weft::model {

struct Message {
  atomic<int> first{0};
  atomic<int> second{0};
  atomic<bool> announced{false};
};

struct WriteThenAnnounce {
  static void send(Message& message) {
    message.first.store(1, std::memory_order_relaxed);
    message.second.store(2, std::memory_order_relaxed);
    message.announced.store(true, std::memory_order_release);
  }
};

template <class Policy = WriteThenAnnounce>
void message(Program& program) {
  auto& message = program.make<Message>();
  program.thread([&] { Policy::send(message); });
  program.thread([&] {
    if (!message.announced.load(std::memory_order_acquire)) return;
    check(message.first.load(std::memory_order_relaxed) == 1, "the first part is missing");
    check(message.second.load(std::memory_order_relaxed) == 2, "the second part is missing");
  });
}

}  // namespace weft::model
