// SPDX-License-Identifier: Apache-2.0
// An echo server with a thread for each connection, on one CPU.
#include "bare_echo.h"
#include "echo_load.h"
#include "sides.h"

namespace weft::engine {
namespace {

// Asks for more than a message, as servers do.
constexpr std::size_t buffer_bytes = 1024;

template <class Side>
void serve(int descriptor) {
  char buffer[buffer_bytes];
  for (;;) {
    const long got = Side::receive(descriptor, buffer, sizeof buffer);
    require(got >= 0, "the server can receive");
    if (got == 0) return;
    require(Side::send(descriptor, buffer, static_cast<std::size_t>(got)) == got,
            "the server can send");
  }
}

template <class Side, unsigned connections>
Numbers measure(const Scale& scale) {
  EchoLoad load(scale, connections);
  Side side(1);
  Team<Side> servers(side);
  for (const int descriptor : load.served()) {
    servers.start([descriptor] { serve<Side>(descriptor); });
  }
  load.begin();
  servers.join();
  return load.result();
}

template <unsigned connections>
Numbers measure_bare(const Scale& scale) {
  EchoLoad load(scale, connections);
  load.begin();
  serve_barely(load.served());
  return load.result();
}

}  // namespace

Measurements echo_measurements() {
  return {{"echo_64.weft", measure<Weft, 64>},     {"echo_64.bare", measure_bare<64>},
          {"echo_1024.bare", measure_bare<1024>},  {"echo_64.nptl", measure<Nptl, 64>},
          {"echo_1024.weft", measure<Weft, 1024>}, {"echo_1024.nptl", measure<Nptl, 1024>}};
}

}  // namespace weft::engine
