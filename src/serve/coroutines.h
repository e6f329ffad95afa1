// SPDX-License-Identifier: Apache-2.0
// A server with one coroutine for each connection, on Boost.Asio.
//
// Each thread has a loop of its own (an io_context), and a connection stays on the loop that it was
// given: no strand, and no lock, for what only one thread touches. Exchanges, sites and limits are
// those of the other models. A coroutine never blocks its thread:
//   what the site answers at once        is answered on the loop
//   what the site answers after a wait   is awaited by a timer: no thread waits
//   everything else                      may block, so a pool of threads runs it, and the coroutine
//                                        goes on when that is done
// Rejected: one io_context for all threads, with a strand for each connection. Nothing on a loop
// takes time, so there is nothing to share out, and every step would take the common lock.
//
// Asio is named in coroutine_line.h, coroutine_server.h and coroutine*.cc alone: it takes long to
// compile.
#pragma once

#include <weft/pool.h>

#include <memory>
#include <vector>

#include "os/file.h"
#include "serve/reactor.h"
#include "serve/running_server.h"
#include "serve/site.h"

namespace weft::serve {

struct CoroutineOptions {
  ReactorLimits limits;
  unsigned threads = 0;  // with a loop each; 0: the CPU budget
  // For handlers that may block. Sheds nothing: as with fibers, only connections are refused, until
  // the queue itself is full.
  PoolOptions pool;
};

// The site outlives it. Sockets that listen, and do not block.
std::unique_ptr<RunningServer> make_coroutines(CoroutineOptions options, Site& site,
                                               std::vector<os::Descriptor> listeners);

}  // namespace weft::serve
