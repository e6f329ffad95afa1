// SPDX-License-Identifier: Apache-2.0
// Calls at home that are no cancellation points: they are made also by who is to be cancelled.
#pragma once

#include <type_traits>

#include "preload/calls.h"

namespace weft::preload {

// As home_call(), for functions that no exception may leave.
template <class Libcs>
auto uncancelled_home_call(const char* site, Libcs libcs) noexcept -> decltype(libcs()) {
  if (!is_fiber()) return libcs();
  return sched::at_home(site, [&] {
    const SignalBits before = open_to_signals();
    if constexpr (std::is_void_v<decltype(libcs())>) {
      libcs();
      close_to_signals(before);
    } else {
      const auto result = libcs();
      close_to_signals(before);
      return result;
    }
  });
}

}  // namespace weft::preload
