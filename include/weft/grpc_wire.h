// SPDX-License-Identifier: Apache-2.0
// Carrier and Wire: what a call needs of whoever carries it, so that it need not know which
// transport
// (<weft/grpc_server.h>) that is.
//
//   Carrier   what was said around the messages: metadata, who asks, whether he is still there.
//             With gRPC's transport it is a ServerContext.
//   Wire      the messages, too: a stream of HTTP/2, of weft's own transport. gRPC's has generated
//             code for them.
//
// All of it happens on the thread of the call's worker.
#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/status.h>
#include <grpcpp/support/string_ref.h>

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include <weft/grpc_queue.h>

namespace weft::grpc {

using Metadata = std::multimap<::grpc::string_ref, ::grpc::string_ref>;

class Carrier {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  // What the client has sent before its messages. Values of names that end in -bin are bytes.
  virtual const Metadata& metadata() = 0;
  // The first of that name, as it came; empty: there is none.
  virtual std::string_view find(std::string_view name) const = 0;
  // "ipv4:127.0.0.1:1234", "ipv6:[::1]:1234" or "unix:".
  virtual std::string peer() const = 0;
  // Before the first message, and before the end.
  virtual void add_header(const std::string& name, const std::string& value) = 0;
  virtual void add_trailer(const std::string& name, const std::string& value) = 0;
  // The client's; max(): none.
  virtual Instant deadline(Instant now) const = 0;
  // Since when what was sent may have waited to be read.
  virtual std::chrono::nanoseconds lateness() const noexcept = 0;
  // It was over before it was answered.
  virtual bool is_cancelled() const = 0;
  // Nothing more comes, and that is not because the client has sent all.
  virtual bool is_cut_off() = 0;

 protected:
  Carrier() = default;
  ~Carrier() = default;
  Carrier(const Carrier&) = default;
  Carrier& operator=(const Carrier&) = default;
};

// One read, one write and one finish() at a time. Each has a tag that comes later, and never while
// it is begun.
class Wire : public Carrier {
 public:
  using Message = google::protobuf::MessageLite;

  // False: there are no more, or is_cut_off().
  virtual void read(Message& into, Tag& tag) = 0;
  // When there is room for the next. False: nobody reads.
  virtual void write(const Message& message, Tag& tag) = 0;
  // The last message, if there is one, and the status. False: it did not reach the connection.
  virtual void finish(const Message* message, const ::grpc::Status& status, Tag& tag) = 0;
  // What finish() has made of the status: a message may have been too long.
  virtual ::grpc::StatusCode sent_code() const noexcept = 0;
  // The call is over, and has none of its tags.
  virtual void release() noexcept = 0;

 protected:
  Wire() = default;
  ~Wire() = default;
  Wire(const Wire&) = default;
  Wire& operator=(const Wire&) = default;
};

// As Reader and Writer (<weft/grpc_call.h>) want them.
template <class Message>
class WireReader final : public ::grpc::internal::AsyncReaderInterface<Message> {
 public:
  explicit WireReader(Wire& wire) noexcept : wire_(wire) {}
  void Read(Message* message, void* tag) override { wire_.read(*message, *static_cast<Tag*>(tag)); }

 private:
  Wire& wire_;
};

template <class Message>
class WireWriter final : public ::grpc::internal::AsyncWriterInterface<Message> {
 public:
  explicit WireWriter(Wire& wire) noexcept : wire_(wire) {}
  void Write(const Message& message, void* tag) override {
    wire_.write(message, *static_cast<Tag*>(tag));
  }
  void Write(const Message& message, ::grpc::WriteOptions, void* tag) override {
    Write(message, tag);
  }

 private:
  Wire& wire_;
};

}  // namespace weft::grpc
