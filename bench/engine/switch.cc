// SPDX-License-Identifier: Apache-2.0
// The switch between two threads that have stacks and thread-local storage of their own: there and
// back, with nothing in between.
#include <linux/futex.h>
#include <sys/syscall.h>

#include <array>
#include <cstdint>
#include <limits>
#include <thread>

#include "arch/switch.h"
#include "os/system_call.h"
#include "pinning.h"
#include "timing.h"

namespace weft::engine {
namespace {

struct Player {
  arch::Context context;
  void* thread_pointer = nullptr;
  std::uint64_t rounds = 0;
};

// Both players run this very code, as all fibers switch in one place of the scheduler: so the CPU
// foresees where a switch returns to.
__attribute__((noinline)) void play(Player& self, Player& other) {
  while (self.rounds != 0) {
    --self.rounds;
    weft_switch(&self.context, &other.context, other.thread_pointer);
  }
}

struct Table {
  Player here;
  Player there;
  arch::Door door;
  alignas(16) std::array<std::byte, std::size_t{16} * 1024> door_stack{};
};

// Away from home it is continued by the one who measures, and at the end by home again.
void sit_there(Table& table) {
  table.there.thread_pointer = arch::thread_pointer();
  table.there.rounds = std::numeric_limits<std::uint64_t>::max();
  weft_leave_home(&table.there.context, &table.door);
  play(table.there, table.here);
}

Numbers measure(const Scale& scale) {
  pin_to_first(1);
  arch::prepare();
  Table table;
  table.door.stack_top = table.door_stack.data() + table.door_stack.size();
  std::thread other([&table] { sit_there(table); });
  while (table.door.away.load() == 0) std::this_thread::yield();
  table.here.thread_pointer = arch::thread_pointer();
  const double round = nanoseconds_each_by_slices(scale, [&table](std::uint64_t rounds) {
    table.here.rounds = rounds;
    play(table.here, table.there);
  });
  table.there.rounds = 0;
  table.door.summoned.store(1);
  os::call(SYS_futex, &table.door.summoned, FUTEX_WAKE_PRIVATE, 1);
  other.join();
  return {{"value", round / 2}};
}

}  // namespace

Measurements switch_measurements() {
  return {{"switch.weft", measure}};
}

}  // namespace weft::engine
