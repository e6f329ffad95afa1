// SPDX-License-Identifier: Apache-2.0
// Blocks of records, a list of those that are free, and the search for those whose thread has died.
#include "fiber/table.h"

#include <asm/errno.h>
#include <sys/mman.h>

#include <mutex>
#include <new>

#include "os/check.h"
#include "os/memory.h"
#include "os/spin_lock.h"

namespace weft::fiber {

// The name by which debuggers find all fibers.
extern "C" {
constinit atomic<Block*> weft_fiber_blocks{nullptr};
}

namespace {

constinit os::SpinLock lock;
constinit Fiber* first_free = nullptr;   // guarded by lock
constinit std::size_t records_made = 0;  // guarded by lock
constinit std::size_t next_sweep = 4 * Block::records;

bool is_dead(std::uint32_t thread_id) {
  const long process_id = os::call(SYS_getpid);
  return os::call(SYS_tgkill, process_id, thread_id, 0) == -ESRCH;
}

// Threads that never left home end without telling us. The lock is held.
void sweep() {
  std::size_t live = 0;
  for_each([&](Fiber& fiber) {
    // Acquires what the thread wrote last; it is over, but memory does not know.
    static_cast<void>(fiber.place.load(std::memory_order_acquire));
    // In the child of a fork the one thread that there is has a new id, and the old record.
    if (&fiber == this_fiber || !is_dead(fiber.id)) {
      ++live;
      return;
    }
    fiber.place.store(Place::free, std::memory_order_relaxed);
    fiber.next_free = first_free;
    first_free = &fiber;
  });
  next_sweep = live < 2 * Block::records ? 4 * Block::records : 2 * live;
}

// The lock is held.
void add_block() {
  constexpr std::size_t page_bytes = 4096;
  constexpr std::size_t stacks_offset = (sizeof(Block) + page_bytes - 1) / page_bytes * page_bytes;
  constexpr std::size_t bytes = stacks_offset + Block::records * Block::door_stack_bytes;
  auto* const memory = static_cast<std::byte*>(os::map_memory(bytes, MAP_NORESERVE));
  os::check(memory != nullptr, "weft: no memory for the record of a thread");
  auto* const block = new (memory) Block;
  for (std::size_t i = Block::records; i-- > 0;) {
    Fiber& fiber = block->fibers[i];
    fiber.door.stack_top = memory + stacks_offset + (i + 1) * Block::door_stack_bytes;
    fiber.next_free = first_free;
    first_free = &fiber;
  }
  records_made += Block::records;
  block->next = weft_fiber_blocks.load(std::memory_order_relaxed);
  weft_fiber_blocks.store(block, std::memory_order_release);  // pairs with first_block()
}

}  // namespace

void lock_table() noexcept {
  lock.lock();
}

void unlock_table() noexcept {
  lock.unlock();
}

Block* first_block() noexcept {
  return weft_fiber_blocks.load(std::memory_order_acquire);
}

Fiber& adopt() noexcept {
  const std::scoped_lock guard(lock);
  if (first_free == nullptr && records_made >= next_sweep) sweep();
  if (first_free == nullptr) add_block();
  Fiber& fiber = *first_free;
  first_free = fiber.next_free;
  fiber.next = nullptr;
  fiber.carrier.store(nullptr, std::memory_order_relaxed);
  fiber.door.summoned.store(0, std::memory_order_relaxed);
  fiber.door.away.store(0, std::memory_order_relaxed);
  fiber.pinned = nullptr;
  fiber.runtime = nullptr;
  fiber.wakes_then_parks = 0;
  fiber.interrupts.store(0, std::memory_order_relaxed);
  fiber.signals.blocked.store(~std::uint64_t{0}, std::memory_order_relaxed);
  fiber.signals.pending.store(0, std::memory_order_relaxed);
  fiber.signals.open_to_kernel.store(false, std::memory_order_relaxed);
  fiber.loan.store(Loan::none, std::memory_order_relaxed);
  fiber.thread_pointer = arch::thread_pointer();
  fiber.id = static_cast<std::uint32_t>(os::call(SYS_gettid));
  fiber.waits_for.store(nullptr, std::memory_order_relaxed);
  fiber.place.store(Place::at_home, std::memory_order_relaxed);
  return fiber;
}

void release(Fiber& fiber) noexcept {
  const std::scoped_lock guard(lock);
  fiber.place.store(Place::free, std::memory_order_relaxed);
  fiber.next_free = first_free;
  first_free = &fiber;
}

Fiber& make_self() noexcept {
  return *(this_fiber = &adopt());
}

}  // namespace weft::fiber
