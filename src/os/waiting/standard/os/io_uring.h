// SPDX-License-Identifier: Apache-2.0
// IoUring: a ring of requests to the kernel, by its own system calls.
//
// Submitting and taking completions are apart: each has one caller at a time, which is for the
// owner to see to. The memory is shared with the kernel and not with children.
#pragma once

#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <asm/errno.h>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "os/memory.h"
#include "os/own_descriptors.h"
#include "os/system_call.h"

namespace weft::os {

class IoUring {
 public:
  struct Completion {
    std::uint64_t data;
    std::int32_t result;
  };

  IoUring() noexcept = default;
  ~IoUring() { close(); }
  IoUring(const IoUring&) = delete;
  IoUring& operator=(const IoUring&) = delete;

  // Room for so many requests at a time, a power of two, half of them to be submitted at once; the
  // kernel's threads that do what cannot be awaited may be so many. Answers 0 or minus errno.
  long open(unsigned most_requests, unsigned most_threads) noexcept {
    io_uring_params parameters{};
    const long refused =
        descriptor_.open([&] { return call(SYS_io_uring_setup, most_requests / 2, &parameters); });
    if (refused != 0) return refused;
    const long error = map(parameters);
    if (error != 0) {
      close();
      return error;
    }
    // Older kernels do not know it, and keep to a few for each processor.
    unsigned limits[2] = {most_threads, 0};
    call(SYS_io_uring_register, descriptor(), IORING_REGISTER_IOWQ_MAX_WORKERS, limits, 2);
    return 0;
  }

  // Its requests must be done.
  void close() noexcept {
    for (Mapping* const mapping : {&submissions_, &completions_, &entries_}) {
      if (mapping->address != nullptr) call(SYS_munmap, mapping->address, mapping->bytes);
      *mapping = {};
    }
    descriptor_.close();
  }

  int descriptor() const noexcept { return descriptor_.number(); }

  // Gives the kernel a request. Answers 0, or minus errno where it did not take it.
  long submit(const io_uring_sqe& request) noexcept {
    const unsigned tail = load(submission_tail_);
    entry(tail) = request;
    submission_slots_[tail & submission_mask_] = tail & submission_mask_;
    // The kernel reads what was written before.
    store(submission_tail_, tail + 1);
    for (;;) {
      const long taken = call(SYS_io_uring_enter, descriptor(), 1, 0, 0, nullptr, 0);
      if (taken == 1) return 0;
      if (taken == -EINTR) continue;
      // It looks at the ring in that call only: what it did not take then was never there.
      store(submission_tail_, tail);
      return taken < 0 ? taken : -EAGAIN;
    }
  }

  // May be asked by anybody, at any time.
  bool has_completions() const noexcept { return load(completion_head_) != load(completion_tail_); }

  // Takes the oldest completion; false: there is none.
  bool take(Completion& completion) noexcept {
    const unsigned head = load(completion_head_);
    if (head == load(completion_tail_)) return false;
    const io_uring_cqe& done = completion_entries_[head & completion_mask_];
    completion = {.data = done.user_data, .result = done.res};
    store(completion_head_, head + 1);  // from here on the place is the kernel's
    return true;
  }

 private:
  struct Mapping {
    std::byte* address = nullptr;
    std::size_t bytes = 0;
  };

  // Words that the kernel has too; it is no thread of the model's.
  static unsigned load(unsigned* word) noexcept {
    return std::atomic_ref<unsigned>(*word).load(std::memory_order_acquire);
  }
  static void store(unsigned* word, unsigned value) noexcept {
    std::atomic_ref<unsigned>(*word).store(value, std::memory_order_release);
  }

  io_uring_sqe& entry(unsigned index) noexcept {
    auto* const all = reinterpret_cast<io_uring_sqe*>(entries_.address);
    return all[index & submission_mask_];
  }

  long map(const io_uring_params& parameters) noexcept {
    const auto& submission = parameters.sq_off;
    const auto& completion = parameters.cq_off;
    long error = map(submissions_, IORING_OFF_SQ_RING,
                     submission.array + parameters.sq_entries * sizeof(unsigned));
    if (error == 0) {
      error = map(completions_, IORING_OFF_CQ_RING,
                  completion.cqes + parameters.cq_entries * sizeof(io_uring_cqe));
    }
    if (error == 0) {
      error = map(entries_, IORING_OFF_SQES, parameters.sq_entries * sizeof(io_uring_sqe));
    }
    if (error != 0) return error;
    submission_tail_ = word(submissions_, submission.tail);
    submission_slots_ = word(submissions_, submission.array);
    submission_mask_ = *word(submissions_, submission.ring_mask);
    completion_head_ = word(completions_, completion.head);
    completion_tail_ = word(completions_, completion.tail);
    completion_mask_ = *word(completions_, completion.ring_mask);
    completion_entries_ =
        reinterpret_cast<const io_uring_cqe*>(completions_.address + completion.cqes);
    return 0;
  }

  long map(Mapping& mapping, std::uint64_t which, std::size_t bytes) noexcept {
    const long address = call(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_POPULATE, descriptor(), which);
    if (!is_mapped(address)) return address;
    mapping = {.address = reinterpret_cast<std::byte*>(address), .bytes = bytes};
    // A child that reaped would take what its parent waits for.
    return call(SYS_madvise, address, bytes, MADV_DONTFORK);
  }

  static unsigned* word(const Mapping& mapping, std::size_t offset) noexcept {
    return reinterpret_cast<unsigned*>(mapping.address + offset);
  }

  OwnDescriptor descriptor_;
  Mapping submissions_, completions_, entries_;
  unsigned* submission_tail_ = nullptr;
  unsigned* submission_slots_ = nullptr;
  unsigned submission_mask_ = 0;
  unsigned* completion_head_ = nullptr;
  unsigned* completion_tail_ = nullptr;
  unsigned completion_mask_ = 0;
  const io_uring_cqe* completion_entries_ = nullptr;
};

}  // namespace weft::os
