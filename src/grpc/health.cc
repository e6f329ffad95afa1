// SPDX-License-Identifier: Apache-2.0
// Who asks is told, and who watches is told of every change.
#include "grpc/health.h"

#include <boost/asio/this_coro.hpp>
#include <optional>

namespace weft::grpc {
namespace {

constexpr const char* liveness = "liveness";

}  // namespace

// Rung when there is something to look at; closed when there will be nothing more.
class Health::Watcher {
 public:
  explicit Watcher(Health& health) : health_(health) {
    const std::scoped_lock guard(health_.mutex_);
    place_ = health_.watchers_.insert(health_.watchers_.end(), &changed_);
    if (health_.is_closed_) changed_.close();
  }
  ~Watcher() {
    const std::scoped_lock guard(health_.mutex_);
    health_.watchers_.erase(place_);
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  boost::asio::awaitable<std::optional<bool>> changed() { return changed_.receive(); }

 private:
  Health& health_;
  Channel<bool> changed_{1};
  Watchers::iterator place_;
};

void Health::add_to(Server& server) {
  using Service = ::grpc::health::v1::Health::AsyncService;
  server.unary(service_, &Service::RequestCheck,
               [this](Call&, const Request& request, Response& response) {
                 return check(request, response);
               },
               {.asks_admission = false});
  server.server_stream(service_, &Service::RequestWatch,
                       [this](Call&, const Request& request, Writer<Response>& writer) {
                         return watch(request, writer);
                       },
                       {.asks_admission = false});
}

Answer Health::check(const Request& request, Response& response) {
  const auto status = status_of(request.service());
  if (status == Response::SERVICE_UNKNOWN) {
    co_return ::grpc::Status(::grpc::StatusCode::NOT_FOUND, "there is no such service");
  }
  response.set_status(status);
  co_return ::grpc::Status::OK;
}

Answer Health::watch(const Request& request, Writer<Response>& writer) {
  Watcher watcher(*this);
  std::optional<Response::ServingStatus> told;
  for (;;) {
    const auto status = status_of(request.service());
    if (status != told) {
      Response response;
      response.set_status(status);
      co_await writer.write(response);
      told = status;
    }
    // Not as the condition of the loop: GCC 12 gets a co_await there wrong.
    const std::optional<bool> news = co_await watcher.changed();
    if (!news) break;
  }
  co_return ::grpc::Status(::grpc::StatusCode::UNAVAILABLE, "the server shuts down");
}

Health::Response::ServingStatus Health::status_of(const std::string& service) const {
  const std::scoped_lock guard(mutex_);
  const auto found = serving_.find(service);
  if (found == serving_.end()) return Response::SERVICE_UNKNOWN;
  return found->second ? Response::SERVING : Response::NOT_SERVING;
}

void Health::set(const std::string& service, bool is_serving) {
  const std::scoped_lock guard(mutex_);
  serving_[service] = is_serving && (!is_drained_ || service == liveness);
  tell_all();
}

void Health::drain() {
  const std::scoped_lock guard(mutex_);
  is_drained_ = true;
  for (auto& [service, is_serving] : serving_) is_serving = is_serving && service == liveness;
  tell_all();
}

void Health::close() {
  const std::scoped_lock guard(mutex_);
  is_closed_ = true;
  for (Channel<bool>* const watcher : watchers_) watcher->close();
}

// One that was told, and has not looked yet, will.
void Health::tell_all() {
  for (Channel<bool>* const watcher : watchers_) {
    bool news = true;
    watcher->try_send(news);
  }
}

}  // namespace weft::grpc
