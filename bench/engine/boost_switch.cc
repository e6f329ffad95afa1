// SPDX-License-Identifier: Apache-2.0
// Boost.Context's switch, with the instruction that the thread pointer costs.
#include <array>
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <limits>

#include "arch/switch.h"
#include "boost.h"
#include "pinning.h"
#include "timing.h"

namespace weft::engine {
namespace {

namespace context = boost::context::detail;

// What is written is the pointer that is there already: the instruction costs the same, and there
// is but one thread here.
__attribute__((always_inline)) inline void write_thread_pointer(void* pointer) {
  asm volatile("wrfsbase %0" ::"r"(pointer) : "memory");
}

struct Player {
  std::uint64_t rounds = 0;
};

// Both players run this very code, as in the measurement of ours.
__attribute__((noinline)) context::fcontext_t play(Player& self, context::fcontext_t other,
                                                   void* thread_pointer) {
  while (self.rounds != 0) {
    --self.rounds;
    other = context::jump_fcontext(other, nullptr).fctx;
    write_thread_pointer(thread_pointer);
  }
  return other;
}

void sit_there(context::transfer_t from) {
  Player there{.rounds = std::numeric_limits<std::uint64_t>::max()};
  play(there, from.fctx, arch::thread_pointer());
}

}  // namespace

Numbers measure_boost_switch(const Scale& scale) {
  pin_to_first(1);
  require(arch::kernel_allows_wrfsbase(), "the kernel allows wrfsbase");
  alignas(16) static std::array<std::byte, std::size_t{64} * 1024> stack;
  context::fcontext_t there =
      context::make_fcontext(stack.data() + stack.size(), stack.size(), sit_there);
  const double round = nanoseconds_each_by_slices(scale, [&there](std::uint64_t rounds) {
    Player here{.rounds = rounds};
    there = play(here, there, arch::thread_pointer());
  });
  return {{"value", round / 2}};
}

}  // namespace weft::engine
