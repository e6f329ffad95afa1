// SPDX-License-Identifier: Apache-2.0
// From a message to an operation, and from what came of it to a message or a status.
#include "grpc_face.h"

#include <google/protobuf/empty.pb.h>
#include <links_protos/links.grpc.pb.h>
#include <spdlog/logger.h>
#include <weft/grpc_server.h>

#include <algorithm>

#include "failure.h"
#include "messages.h"
#include "rules.h"

namespace links {

namespace v1 = weft::links::v1;
using weft::grpc::Answer;
using weft::grpc::Call;
using weft::sql::Access;
template <class T>
using Writer = weft::grpc::Writer<T>;

class GrpcFace::Handlers {
 public:
  Handlers(weft::service::Service& service, Store& store) : log_(service.log()), store_(store) {
    using Links = v1::Links::AsyncService;
    weft::grpc::Server& server = service.grpc();
    const auto bound = [this](auto member) {
      return [this, member](Call&, const auto& request, auto& response) {
        return answer((this->*member)(request, response));
      };
    };
    server.unary(service_, &Links::RequestCreate, bound(&Handlers::create));
    server.unary(service_, &Links::RequestGet, bound(&Handlers::get));
    server.unary(service_, &Links::RequestDelete, bound(&Handlers::remove));
    server.unary(service_, &Links::RequestResolve, bound(&Handlers::resolve));
    server.server_stream(service_, &Links::RequestList, bound(&Handlers::list));
  }

 private:
  using Done = boost::asio::awaitable<void>;

  // What is thrown becomes a status.
  Answer answer(Done handler) {
    try {
      co_await std::move(handler);
      co_return ::grpc::Status::OK;
    } catch (...) {
      const Told told = tell(std::current_exception());
      if (!told.for_log.empty()) log_.warn("{}", told.for_log);
      co_return ::grpc::Status(static_cast<::grpc::StatusCode>(meaning_of(told.problem).grpc_code),
                               told.for_client);
    }
  }

  Done create(const v1::CreateRequest& request, v1::Link& response) {
    const NewLink wanted = read(request);
    const Link link =
        co_await store_.await(Access::write, [&](Links& links) { return links.create(wanted); });
    log_.info("created {}", link.key);
    write(link, response);
  }

  Done get(const v1::GetRequest& request, v1::Link& response) {
    write(
        co_await store_.await(Access::read, [&](Links& links) { return links.get(request.key()); }),
        response);
  }

  Done remove(const v1::DeleteRequest& request, google::protobuf::Empty&) {
    co_await store_.await(Access::write, [&](Links& links) {
      links.remove(request.key());
      return true;
    });
    log_.info("deleted {}", request.key());
  }

  Done resolve(const v1::ResolveRequest& request, v1::Link& response) {
    write(co_await store_.await(Access::write,
                                [&](Links& links) { return links.resolve(request.key()); }),
          response);
  }

  // Page by page: no connection is held while the client reads.
  Done list(const v1::ListRequest& request, Writer<v1::Link>& writer) {
    Page page{request.prefix(), request.after(), 0};
    const bool has_limit = request.limit() != 0;
    if (request.limit() < 0) throw Failure(Problem::invalid, "limit: it is less than 0");
    std::int64_t left = request.limit();
    do {
      page.limit = has_limit ? std::min(left, usual_page) : usual_page;
      const std::vector<Link> found =
          co_await store_.await(Access::read, [&](Links& links) { return links.list(page); });
      for (const Link& link : found) {
        v1::Link message;
        write(link, message);
        co_await writer.write(message);
      }
      if (std::ssize(found) < page.limit) co_return;
      left -= page.limit;
      page.after = found.back().key;
    } while (!has_limit || left > 0);
  }

  spdlog::logger& log_;
  Store& store_;
  v1::Links::AsyncService service_;
};

GrpcFace::GrpcFace(weft::service::Service& service, Store& store)
    : handlers_(std::make_unique<Handlers>(service, store)) {}
GrpcFace::~GrpcFace() = default;

}  // namespace links
