// SPDX-License-Identifier: Apache-2.0
// Jumps: a place that was saved with its signal mask is returned to with that mask, which is not
// the kernel's.
//
// libc's record has room for 1024 signals, of which the kernel writes 64; the program's mask stands
// behind them.
#include <sys/syscall.h>

#include <csetjmp>
#include <cstring>

#include "os/system_call.h"
#include "preload/calls.h"
#include "preload/fortified.h"
#include "preload/real.h"
#include "preload/signals.h"

namespace weft::preload {
namespace {

struct SavedMask {
  SignalBits kernels;
  SignalBits programs;
  SignalBits mark;
};
constexpr SignalBits is_saved = 0x7765'6674'6a6d'7073;
static_assert(sizeof(SavedMask) <= sizeof(sigset_t));

void save(__jmp_buf_tag* place, const SavedMask& saved) {
  std::memcpy(&place->__saved_mask, &saved, sizeof(saved));
}

// Before a jump: the program's mask is that of the place, and the kernel's the right one for where
// the thread is now.
void restore_mask(__jmp_buf_tag* place) {
  SavedMask saved;
  std::memcpy(&saved, &place->__saved_mask, sizeof(saved));
  if (place->__mask_was_saved == 0 || saved.mark != is_saved || !thread_state.mask_is_ours) return;
  fiber::Fiber& self = fiber::self();
  // Out of a call at home: there it stays.
  if (!sched::counts_as_away(self)) thread_state.stays_home = true;
  const SignalBits before = self.signals.blocked.load(std::memory_order_relaxed);
  set_blocked(self, saved.programs);
  os::call(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &saved.kernels, sizeof(SignalBits));
  save(place, saved);
  mask_changed(before);
}

}  // namespace

// Called by the hook of __sigsetjmp, which must leave the caller's frame as it is.
extern "C" __attribute__((visibility("hidden"), used)) void* weft_save_mask(__jmp_buf_tag* place,
                                                                            int saves_mask) {
  if (saves_mask != 0) {
    const bool is_ours = thread_state.mask_is_ours;
    save(place,
         {.kernels = 0, .programs = is_ours ? program_mask() : 0, .mark = is_ours ? is_saved : 0});
  }
  return next_definition(Symbol::__sigsetjmp);
}

}  // namespace weft::preload

asm(R"(
.text
.globl __sigsetjmp
.type __sigsetjmp, @function
__sigsetjmp:
  .cfi_startproc
  push %rdi
  .cfi_adjust_cfa_offset 8
  push %rsi
  .cfi_adjust_cfa_offset 8
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  call weft_save_mask
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  pop %rsi
  .cfi_adjust_cfa_offset -8
  pop %rdi
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
.size __sigsetjmp, . - __sigsetjmp
)");

using namespace weft::preload;

extern "C" {

void siglongjmp(sigjmp_buf place, int value) noexcept {
  restore_mask(place);
  WEFT_REAL(siglongjmp)(place, value);
  __builtin_unreachable();
}

void longjmp(jmp_buf place, int value) noexcept {
  siglongjmp(place, value);
}

void _longjmp(jmp_buf place, int value) noexcept {
  siglongjmp(place, value);
}

// Libc ends the process where the place is not above this one.
void __longjmp_chk(jmp_buf place, int value) {
  restore_mask(place);
  WEFT_REAL(__longjmp_chk)(place, value);
  __builtin_unreachable();
}

}  // extern "C"
