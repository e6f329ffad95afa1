// SPDX-License-Identifier: Apache-2.0
// An echo server of Boost.Fiber and Boost.Asio: a fiber for each connection, all on one thread.
//
// Between rounds of the fibers that are ready the first fiber runs what Asio has completed, and
// sleeps in Asio where nothing has. A fiber that waits is made ready by its completion, without
// locks, since there is one thread: as fast as the two go together.
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <boost/fiber/all.hpp>

#include <memory>

#include "boost.h"
#include "echo_load.h"

namespace weft::engine {
namespace {

namespace asio = boost::asio;
namespace fibers = boost::fibers;
using Socket = asio::local::stream_protocol::socket;

constexpr std::size_t buffer_bytes = 1024;

// Begins an operation, and stops the fiber until it is complete; answers its bytes, 0 at the end.
template <class Begin>
std::size_t await(Begin begin) {
  fibers::context* const waiting = fibers::context::active();
  std::size_t result = 0;
  begin([&result, waiting](const boost::system::error_code& error, std::size_t bytes) {
    result = error ? 0 : bytes;
    fibers::context::active()->schedule(waiting);
  });
  waiting->suspend();
  return result;
}

void serve(Socket& socket) {
  char buffer[buffer_bytes];
  for (;;) {
    const std::size_t got =
        await([&](auto done) { socket.async_read_some(asio::buffer(buffer), done); });
    if (got == 0) return;
    // A small message is written at once, as a blocking socket would: that is cheaper than to wait
    // for its completion.
    boost::system::error_code error;
    asio::write(socket, asio::buffer(buffer, got), error);
    require(!error, "the server can send");
  }
}

Numbers measure(const Scale& scale, unsigned connections) {
  EchoLoad load(scale, connections);
  fibers::use_scheduling_algorithm<fibers::algo::round_robin>();
  asio::io_context context(1);
  std::vector<std::unique_ptr<Socket>> sockets;
  std::vector<fibers::fiber> servers;
  std::size_t running = connections;
  for (const int descriptor : load.served()) {
    // A copy of the number, because Asio closes its own.
    sockets.push_back(
        std::make_unique<Socket>(context, asio::local::stream_protocol(), ::dup(descriptor)));
    sockets.back()->non_blocking(true);
    servers.emplace_back([&socket = *sockets.back(), &running] {
      serve(socket);
      --running;
    });
  }
  load.begin();
  const auto work = asio::make_work_guard(context);
  while (running > 0) {
    boost::this_fiber::yield();
    if (running == 0) break;
    if (context.poll() == 0) context.run_one();
  }
  for (fibers::fiber& server : servers) server.join();
  return load.result();
}

}  // namespace

template <>
Numbers measure_boost_echo<64>(const Scale& scale) {
  return measure(scale, 64);
}
template <>
Numbers measure_boost_echo<1024>(const Scale& scale) {
  return measure(scale, 1024);
}

}  // namespace weft::engine
