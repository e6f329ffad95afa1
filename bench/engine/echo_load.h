// SPDX-License-Identifier: Apache-2.0
// The load for an echo server: connections on each of which one small message is under way.
//
// The generator is a thread with a CPU of its own, that never sleeps: it looks at one connection
// after the other, and answers a message by the next. So no server pays for waking it, and it needs
// fewer system calls for a message than any server: the server is what is measured, on the other
// CPU.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "measurement.h"

namespace weft::engine {

inline constexpr std::size_t message_bytes = 64;

class EchoLoad {
 public:
  // Makes the connections, and pins the caller, which is the server, to the first CPU.
  EchoLoad(const Scale& scale, unsigned connections);
  ~EchoLoad();
  EchoLoad(const EchoLoad&) = delete;
  EchoLoad& operator=(const EchoLoad&) = delete;

  // The ends to serve, until their end of file; the server closes none.
  const std::vector<int>& served() const { return served_; }

  // Begins. After a while all connections are at their end.
  void begin();
  // What came out, once the server has ended: thousands of messages a second, and which share of
  // its CPU the server used. Where that is well below 1, the generator was the slower one.
  Numbers result() const;

 private:
  void generate();
  // Looks at every connection once; answers how many messages came back.
  std::uint64_t look_at_all();

  const Scale scale_;
  std::vector<int> served_;
  std::vector<int> ours_;
  std::thread generator_;
  // The generator's.
  double per_second_ = 0;
  double server_busy_ = 0;
};

}  // namespace weft::engine
