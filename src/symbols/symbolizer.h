// SPDX-License-Identifier: Apache-2.0
// Symbolizer: which function, file and line an address of a running process is in.
//
// For tools and tests, not for the engine: it allocates, reads files and takes its time. Line
// numbers need debug information of any level (-g1 is enough); without it there are functions of
// the symbol table, and without that the module and the offset in it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace weft::symbols {

struct Location {
  std::string function = {};  // demangled; empty: unknown
  std::string file = {};      // as the compiler was given it; empty: unknown
  int line = 0;
  std::string module = {};    // path of the program or library; empty: nobody's code
  std::uintptr_t offset = 0;  // in the module, or the address itself if there is none
};

class Symbolizer {
 public:
  // Precondition for other processes: the right to read their /proc/PID/maps.
  static base::Result<Symbolizer> open(pid_t process_id);
  static base::Result<Symbolizer> open_self();

  // Where the instruction at this address is. Modules that were loaded since are found.
  Location look_up(std::uintptr_t address);
  // Where the call is that returns to this address.
  Location look_up_caller(std::uintptr_t return_address) { return look_up(return_address - 1); }

 private:
  struct Session;
  struct EndSession {
    void operator()(Session* session) const noexcept;
  };
  explicit Symbolizer(std::unique_ptr<Session, EndSession> session) noexcept
      : session_(std::move(session)) {}

  std::unique_ptr<Session, EndSession> session_;
};

// "handle(int) at server.cc:41", "handle(int) in server+0x1a2b", "libc.so.6+0x9c2ec", "0x1234".
std::string describe(const Location& location);

// The last part of a path.
std::string file_name(const std::string& path);

}  // namespace weft::symbols
