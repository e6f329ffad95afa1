// SPDX-License-Identifier: Apache-2.0
// Inheritance of what belongs to kernel threads.
#include "preload/inheritance.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/atomic.h"
#include "os/system_call.h"

namespace weft::preload {
namespace {

constinit atomic<bool> changed{false};
constinit char name_of_process[16] = {};  // written before the first home is made

}  // namespace

void note_own_attributes() noexcept {
  if (!changed.load(std::memory_order_relaxed)) changed.store(true, std::memory_order_relaxed);
}

bool threads_have_own_attributes() noexcept {
  return changed.load(std::memory_order_relaxed);
}

void note_name_of_process() noexcept {
  os::call(SYS_prctl, PR_GET_NAME, name_of_process);
}

void name_home() noexcept {
  if (!threads_have_own_attributes()) os::call(SYS_prctl, PR_SET_NAME, name_of_process);
}

}  // namespace weft::preload
