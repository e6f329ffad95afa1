// SPDX-License-Identifier: Apache-2.0
// What a fork does to us.
#pragma once

#include <sys/types.h>

namespace weft::preload {

// So that a child finds no lock of ours held, and forgets the threads that it does not have.
// Before any handler of the program's: it is registered when the library is loaded.
void register_fork_handlers() noexcept;

// As _Fork(): of all handlers only ours are run.
pid_t fork_without_handlers() noexcept;

}  // namespace weft::preload
