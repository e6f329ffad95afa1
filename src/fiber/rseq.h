// SPDX-License-Identifier: Apache-2.0
// Restartable sequences, which know a kernel thread by its thread pointer: not for fibers.
#pragma once

namespace weft::fiber {

// Takes the calling thread out of the kernel's book of restartable sequences. The area lies behind
// the thread pointer, which a carrier has while it runs the fiber; but the kernel would go on
// writing the CPU of the home there. libc and others ask the kernel instead when they find it
// unregistered.
void leave_rseq() noexcept;

}  // namespace weft::fiber
