// SPDX-License-Identifier: Apache-2.0
// Alarm: lets a thread that waits for a socket be called away from it.
#pragma once

#include <chrono>

#include "os/file.h"

namespace weft::sql {

class Alarm {
 public:
  using Instant = std::chrono::steady_clock::time_point;
  enum class Woken { by_socket, by_alarm, by_time };

  Alarm() noexcept;
  // False: there was no descriptor left for it, and it must not be used.
  bool is_valid() const noexcept { return bell_.valid(); }

  // For any thread; does not block. It rings until clear().
  void ring() noexcept;
  void clear() noexcept;
  // As poll(2) for the socket. The alarm goes before the socket, and both before the time.
  Woken wait(int socket, short events, Instant until = Instant::max()) const noexcept;

 private:
  const os::Descriptor bell_;
};

}  // namespace weft::sql
