// SPDX-License-Identifier: Apache-2.0
// A server of coroutines begins and ends.
#include "serve/coroutines.h"

#include <pthread.h>
#include <weft/budget.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "os/broken_pipe.h"
#include "serve/coroutine_server.h"

namespace weft::serve {
namespace {

using std::chrono::steady_clock;

void run(Loop& loop) {
  ::pthread_setname_np(::pthread_self(), "weft-coroutines");
  os::block_broken_pipe();
  for (;;) {
    try {
      loop.context.run();
      return;
    } catch (const std::exception&) {
      // There was no memory for something: that is not done, and the loop goes on.
    }
  }
}

}  // namespace

Coroutines::Coroutines(CoroutineOptions options, Site& site, std::vector<os::Descriptor> listeners)
    : house_{options.limits,
             site,
             Pool(std::move(options.pool)),
             {},
             BodyMemory(options.limits.all_bodies_bytes, options.limits.retry_after),
             {},
             nullptr,
             false,
             false,
             {}},
      listeners_(std::move(listeners)),
      loops_(options.threads != 0 ? options.threads : budget::read().cpu.threads),
      guests_(options.limits.connections, options.limits.connections_by_peer, house_.counters,
              lines_) {}

Coroutines::~Coroutines() {
  drain(std::chrono::milliseconds{0});
  house_.abandoned.store(true);
  on_each_loop([](Loop& loop) {
    for (CoroutineLine* const line : loop.lines) line->abandon();
  });
  lines_.wait_until(steady_clock::time_point::max());
  house_.pool.drain();  // a worker may still be on its way out of post()
  for (Loop& loop : loops_) loop.work.reset();
  for (Loop& loop : loops_) {
    if (loop.thread.joinable()) loop.thread.join();
  }
}

void Coroutines::start() {
  house_.log = log();
  house_.hang_ups.start();
  for (Loop& loop : loops_) loop.thread = std::thread([&loop] { run(loop); });
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    Loop& loop = loops_[i % loops_.size()];
    Acceptor& acceptor = loop.acceptors.emplace_back(loop.context, listeners_[i].release());
    lines_.begins();
    wait_for_guests(loop, acceptor);
  }
}

template <class Function>
void Coroutines::on_each_loop(Function function) {
  for (Loop& loop : loops_) {
    asio::post(loop.context, [&loop, function] { function(loop); });
  }
}

bool Coroutines::drain(std::chrono::milliseconds grace) {
  const auto begun = steady_clock::now();
  house_.draining.store(true);
  on_each_loop([](Loop& loop) {
    for (Acceptor& acceptor : loop.acceptors) {
      boost::system::error_code is_closed;
      acceptor.listener.cancel(is_closed);
    }
    for (CoroutineLine* const line : loop.lines) line->begin_drain();
  });
  return lines_.wait_until(begun + grace);
}

std::unique_ptr<RunningServer> make_coroutines(CoroutineOptions options, Site& site,
                                               std::vector<os::Descriptor> listeners) {
  return std::make_unique<Coroutines>(std::move(options), site, std::move(listeners));
}

}  // namespace weft::serve
