// SPDX-License-Identifier: Apache-2.0
// Threads that the user wants to stay native: --keep-native, by the name of the thread or of its
// start routine.
#pragma once

namespace weft::preload {

// Whether one of the patterns fits the name.
bool is_kept_native(const char* name) noexcept;

// The same for the name of a function, where the loader knows it.
bool is_kept_native(void* (*function)(void*)) noexcept;

}  // namespace weft::preload
