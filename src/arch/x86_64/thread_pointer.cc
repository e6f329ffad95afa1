// SPDX-License-Identifier: Apache-2.0
// Which way there is to write the thread pointer, and that the assembler and switch.h mean the
// same.
#include <sys/auxv.h>

#include <cstddef>

#include "arch/switch.h"

namespace weft::arch {

// The offsets that switch.S and leave_home.S write out.
static_assert(offsetof(Context, stack_pointer) == 0);
static_assert(offsetof(Door, summoned) == 0);
static_assert(offsetof(Door, away) == 4);
static_assert(offsetof(Door, stack_top) == 8);

extern "C" {
unsigned char weft_has_wrfsbase = 0;
}

bool kernel_allows_wrfsbase() noexcept {
  constexpr unsigned long fsgsbase_enabled = 1UL << 1;  // HWCAP2_FSGSBASE, Linux 5.9
  return (::getauxval(AT_HWCAP2) & fsgsbase_enabled) != 0;
}

void prepare() noexcept {
  weft_has_wrfsbase = kernel_allows_wrfsbase() ? 1 : 0;
}

}  // namespace weft::arch
