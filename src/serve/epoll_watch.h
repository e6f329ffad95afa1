// SPDX-License-Identifier: Apache-2.0
// Adds a descriptor to an epoll, with the number that its events will have.
#pragma once

#include <sys/epoll.h>

#include <cstdint>

#include "os/file.h"

namespace weft::serve {

inline bool watch(const os::Descriptor& epoll, int descriptor, std::uint32_t events,
                  std::uint64_t number) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.u64 = number;
  return ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

}  // namespace weft::serve
