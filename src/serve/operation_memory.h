// SPDX-License-Identifier: Apache-2.0
// OperationMemory: room for an operation of Asio, so that to begin one takes no memory that might
// not be there. One operation at a time; for coroutine*.cc only.
#pragma once

#include <cstddef>

#include "os/check.h"

namespace weft::serve {

class OperationMemory {
 public:
  OperationMemory() = default;
  OperationMemory(const OperationMemory&) = delete;
  OperationMemory& operator=(const OperationMemory&) = delete;

  void* take(std::size_t bytes) noexcept {
    os::check(!is_taken_ && bytes <= sizeof(room_), "an operation of Asio has no room");
    is_taken_ = true;
    return room_;
  }
  void give_back() noexcept { is_taken_ = false; }

 private:
  alignas(std::max_align_t) std::byte room_[256];
  bool is_taken_ = false;
};

// As Asio asks for it: asio::bind_allocator().
template <class Value>
class OperationAllocator {
 public:
  using value_type = Value;

  explicit OperationAllocator(OperationMemory& memory) noexcept : memory_(&memory) {}
  template <class Other>
  OperationAllocator(const OperationAllocator<Other>& other) noexcept : memory_(other.memory()) {}

  Value* allocate(std::size_t count) noexcept {
    return static_cast<Value*>(memory_->take(count * sizeof(Value)));
  }
  void deallocate(Value*, std::size_t) noexcept { memory_->give_back(); }
  OperationMemory* memory() const noexcept { return memory_; }
  template <class Other>
  bool operator==(const OperationAllocator<Other>& other) const noexcept {
    return memory_ == other.memory();
  }

 private:
  OperationMemory* memory_;
};

}  // namespace weft::serve
