// SPDX-License-Identifier: Apache-2.0
// weft::grpc::Server: gRPC with coroutines as handlers, on as many threads as the CPU budget has.
//
//   Echo::AsyncService service;
//   weft::grpc::Server server({.addresses = {"0.0.0.0:50051"}});
//   server.unary(service, &Echo::AsyncService::RequestSay,
//                [](weft::grpc::Call& call, const Line& request, Line& response)
//                    -> weft::grpc::Answer {
//                  response.set_text(co_await weft::offload(pool, [&] { return look(request); }));
//                  co_return ::grpc::Status::OK;
//                });
//   server.start();
//   …
//   server.begin_drain();                                 // not ready any more, but serving
//   server.shutdown(std::chrono::steady_clock::now() + 10s);
//
// Concepts
//   worker    a completion queue (<weft/grpc_queue.h>) and the thread that serves it, or a thread
//             with connections of its own: see Transport. A call is taken, handled and answered by
//             one worker, without a lock.
//   handler   a coroutine. Each call's has a context of its own: weft::cancellation() is the
//             client's deadline, its going, and the server's end in one; weft::correlation() and
//             weft::current_trace are the client's, or begin here. A handler never blocks: what
//             does, it gives to weft::offload().
//   armed     a request that gRPC may match with a call. Each worker has a few of each method, and
//             replaces one before it begins with what has come.
//   unknown   a call of a method that the server does not have. It is told so (UNIMPLEMENTED),
//             whatever the admission says, and counted under this name.
//   ticket    of a call that the admission (<weft/admission.h>) has let in. The call waits until
//             its handler runs; and if that first waits for weft::offload(), until this has begun.
//             Then it is under way, until the handler is over. Calls are taken from gRPC before
//             handlers run, so that none waits where it is not seen. One that has waited for too
//             long when its turn comes is refused after all; offload() then throws Cancelled.
//   drained   the server says to whoever asks for its health that it is not ready, and serves on.
//
// Throws: what a handler throws is answered, and nothing of its text. weft::Cancelled becomes
// DEADLINE_EXCEEDED, CANCELLED, UNAVAILABLE (shutdown) or RESOURCE_EXHAUSTED (overload), by its
// reason; everything else is INTERNAL, and is told to on_exception.
//
// Live resize, on weft's transport: a worker that is one too many tells its clients to go (GOAWAY)
// and ends when they have; where one is added, those who have more than their share of connections
// tell some. On gRPC's: gRPC wants all completion queues before it starts. So there are as many
// queues as there may ever be workers (most_workers), and set_workers() says how many have a thread
// and armed requests. A worker that is one too many arms nothing more, and answers what it has
// begun. What it has armed cannot be taken back from gRPC, which gives it calls when the others
// have nothing armed: until that is used up, and the thread ends, it looks every 5 ms and otherwise
// sleeps. (gRPC's poller must be the default, epoll1, where any thread sees to all sockets.)
//
// Invariants
//   - started = finished + in flight; each call is counted once, with the code that was sent.
//   - After shutdown() gRPC has nothing of ours: no tag, no thread, no call.
//
// Rejected: gRPC's callback API. Its threads are as many as the host has cores, whatever the
// budget, and a handler that blocks takes one from all. Rejected, too: its reflection and health
// services, which bring a synchronous server, whose threads poll our sockets.
#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/security/server_credentials.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weft/grpc_method.h>

namespace weft {
class AdmissionControl;
}  // namespace weft
namespace weft::measure {
class Snapshot;
}  // namespace weft::measure

namespace weft::grpc {

// A call, before anything is done for it.
struct Arrival {
  std::string_view method;
  Priority priority;  // of the method, as it was registered
  const Metadata& metadata;
};

struct Refusal {
  const char* reason;                     // a constant; the client gets it as weft-reason
  std::chrono::milliseconds retry_after;  // negative: not at all
};

// A call that is over.
struct CallRecord {
  std::string_view method;  // or "unknown"
  ::grpc::StatusCode code;
  bool was_delivered;                 // gRPC took the answer; the client may still have gone
  std::chrono::nanoseconds duration;  // until the handler had the answer
  std::size_t request_bytes;          // 0 for streams
  std::size_t response_bytes;
  std::string_view correlation;  // empty: it was refused, or unknown
  std::string peer;
};

// Who carries the calls.
//   grpc   gRPC's own transport, with all that it has: credentials, compression.
//   weft   HTTP/2 by nghttp2 on an epoll of each worker (src/grpc/h2_port.h). It takes all that has
//          come before handlers run, and writes the answers of a connection together: several times
//          the calls of gRPC's on a CPU (docs/bench_grpc.md). A connection stays with one worker.
//          Without encryption and compression, and messages are Protobuf's
//          (docs/decisions/019-grpc-transport.md).
enum class Transport : std::uint8_t { grpc, weft };

struct ServerOptions {
  Transport transport = Transport::grpc;
  std::vector<std::string> addresses{"127.0.0.1:0"};            // or "unix:PATH"
  std::shared_ptr<::grpc::ServerCredentials> credentials = {};  // none: no encryption

  std::uint32_t workers = 0;                // 0: the CPU budget, followed while it changes
  std::uint32_t most_workers = 0;           // 0: twice the above
  std::uint32_t armed = 8;                  // requests of each method, at each worker, of gRPC's
  double memory_share = 0.25;               // of the memory budget, for what gRPC buffers
  std::uint32_t concurrent_streams = 1024;  // of a connection
  int most_received_bytes = 4 << 20;        // of a message
  int most_sent_bytes = 4 << 20;
  bool compresses = false;  // whether answers may be; what is received may be in any case
  // How long a unary call may take that has no deadline of its client's, or a later one. 0: as long
  // as it likes. Streams last as long as both sides want them to.
  std::chrono::milliseconds longest_call = std::chrono::milliseconds(0);
  std::chrono::milliseconds keepalive_interval = std::chrono::hours(2);
  std::chrono::milliseconds keepalive_timeout = std::chrono::seconds(20);
  std::chrono::milliseconds least_ping_interval = std::chrono::minutes(5);  // of clients
  // How long, after the deadline of shutdown(), handlers that were cancelled may take to answer.
  std::chrono::milliseconds unwind_time = std::chrono::milliseconds(500);

  bool health = true;       // grpc.health.v1: "" is readiness, "liveness" is liveness
  bool reflection = false;  // grpc.reflection.v1alpha

  // Who lets calls in; none: all are. It outlives the server. Who is refused gets
  // RESOURCE_EXHAUSTED, with grpc-retry-pushback-ms and weft-reason in the trailers.
  AdmissionControl* admission = nullptr;

  // Called on the workers' threads, and so short; what they throw ends the process.
  // Asked before anything is made for the call, and before the admission: for limits of your own.
  std::function<std::optional<Refusal>(const Arrival&)> refuse{};
  std::function<void(const CallRecord&)> on_finished{};
  std::function<void(std::string_view method, std::exception_ptr)> on_exception{};
};

struct ServerCounters {
  std::uint32_t workers = 0;
  std::uint64_t started = 0;  // with those that were refused
  std::uint64_t in_flight = 0;
  using ByCode = std::map<::grpc::StatusCode, std::uint64_t>;
  ByCode finished;
  std::map<std::string, ByCode> finished_by_method;  // and of all that are "unknown"
  std::map<std::string, std::uint64_t> refused;      // by reason
  std::uint64_t thrown = 0;                          // by handlers, and not weft::Cancelled
  std::uint64_t armed = 0;
};

class Server {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  explicit Server(ServerOptions options = {});
  // As shutdown(now), where that has not been called.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Before start(): a handler for each method of a service. The service lives as long as the
  // server.

  // Answer(Call&, const In&, Out&)
  template <class Owner, class In, class Out, class Service, class Handler>
  void unary(Service& service,
             method::Request<Owner, In, ::grpc::ServerAsyncResponseWriter<Out>> request,
             Handler handler, MethodOptions options = {}) {
    using Bound = method::Bound<method::Unary<In, Out>, Owner, Handler, In,
                                ::grpc::ServerAsyncResponseWriter<Out>>;
    add(service, std::make_unique<Bound>(service, request, std::move(handler), options));
  }
  // Answer(Call&, const In&, Writer<Out>&)
  template <class Owner, class In, class Out, class Service, class Handler>
  void server_stream(Service& service,
                     method::Request<Owner, In, ::grpc::ServerAsyncWriter<Out>> request,
                     Handler handler, MethodOptions options = {}) {
    using Bound = method::Bound<method::ServerStream<In, Out>, Owner, Handler, In,
                                ::grpc::ServerAsyncWriter<Out>>;
    add(service, std::make_unique<Bound>(service, request, std::move(handler), options));
  }
  // Answer(Call&, Reader<In>&, Out&)
  template <class Owner, class In, class Out, class Service, class Handler>
  void client_stream(Service& service,
                     method::Request<Owner, ::grpc::ServerAsyncReader<Out, In>> request,
                     Handler handler, MethodOptions options = {}) {
    using Bound = method::Bound<method::ClientStream<In, Out>, Owner, Handler,
                                ::grpc::ServerAsyncReader<Out, In>>;
    add(service, std::make_unique<Bound>(service, request, std::move(handler), options));
  }
  // Answer(Call&, Reader<In>&, Writer<Out>&)
  template <class Owner, class In, class Out, class Service, class Handler>
  void stream(Service& service,
              method::Request<Owner, ::grpc::ServerAsyncReaderWriter<Out, In>> request,
              Handler handler, MethodOptions options = {}) {
    using Bound = method::Bound<method::Stream<In, Out>, Owner, Handler,
                                ::grpc::ServerAsyncReaderWriter<Out, In>>;
    add(service, std::make_unique<Bound>(service, request, std::move(handler), options));
  }

  // Throws std::runtime_error where a port is not to be had, or a method has no handler.
  void start();
  // Of each address, in their order; 1 for sockets that have none.
  const std::vector<int>& ports() const noexcept;

  // From now on so many workers, up to most_workers; the budget is followed no more.
  void set_workers(std::uint32_t workers);

  // What grpc.health.v1 says of a service of its own.
  void set_serving(const std::string& service, bool is_serving);
  // From now on it is not ready ("" and all services are NOT_SERVING); it goes on serving.
  void begin_drain();
  // Takes no new calls, and waits for those under way. At the deadline they are cancelled, with the
  // reason `shutdown`. Returns when all threads have ended. Not for handlers. False: some had to be
  // cancelled.
  bool shutdown(Instant deadline);

  ServerCounters counters() const;
  // How long handlers took.
  measure::Snapshot durations() const;

 private:
  class Core;
  void add(::grpc::Service& service, std::unique_ptr<Method> method);
  std::unique_ptr<Core> core_;
};

// Has what is asked of others go on in the call of here: its deadline, correlation id and trace.
void propagate(::grpc::ClientContext& context);

}  // namespace weft::grpc
