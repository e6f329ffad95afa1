// SPDX-License-Identifier: Apache-2.0
// Blocker: whom a BlockingScope on this thread tells of it; none on threads that run no job.
#pragma once

namespace weft::pool {

class Blocker {
 public:
  virtual void block() noexcept = 0;
  virtual void unblock() noexcept = 0;
  unsigned depth = 0;  // of scopes in each other; only the outermost is told

 protected:
  Blocker() = default;
  ~Blocker() = default;
  Blocker(const Blocker&) = default;
  Blocker& operator=(const Blocker&) = default;
};

Blocker*& blocker_of_this_thread() noexcept;

}  // namespace weft::pool
