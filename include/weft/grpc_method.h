// SPDX-License-Identifier: Apache-2.0
// Method: what the calls of a method share, and how a call of each kind is made of generated code.
//
// Thin on purpose: this is compiled for every method of a service. What a call does is in Call.
#pragma once

#include <grpcpp/completion_queue.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/async_unary_call.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

#include <weft/admission.h>
#include <weft/grpc_call.h>

namespace weft::grpc {

struct MethodOptions {
  Priority priority = Priority::normal;  // of its calls, when there are too many
  bool asks_admission = true;            // false: is never refused, nor counted; for health
};

class Method {
 public:
  // The owner is the class WithAsyncMethod_NAME of generated code, whose name says the method's.
  Method(const std::type_info& owner, MethodOptions options);
  virtual ~Method();
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

  const std::string& name() const noexcept { return name_; }
  const MethodOptions& options() const noexcept { return options_; }
  virtual std::unique_ptr<Call> make(Worker& worker) = 0;
  // Of its calls, exactly one comes with each.
  virtual bool takes_one_message() const noexcept = 0;

 private:
  const std::string name_;
  const MethodOptions options_;
};

namespace method {

using ::grpc::CompletionQueue;
using ::grpc::ServerCompletionQueue;
using ::grpc::ServerContext;

template <class Owner, class... Arguments>
using Request = void (Owner::*)(ServerContext*, Arguments*..., CompletionQueue*,
                                ServerCompletionQueue*, void*);

// What the calls of a method share.
template <class CallOf, class Owner, class Handler, class... Arguments>
class Bound final : public Method {
 public:
  using Member = Request<Owner, Arguments...>;
  Bound(Owner& service, Member request, Handler handler, MethodOptions options)
      : Method(typeid(Owner), options),
        service_(service),
        request_(request),
        handler_(std::move(handler)) {}

  std::unique_ptr<Call> make(Worker& worker) override {
    return std::make_unique<typename CallOf::template With<Bound>>(worker, *this);
  }
  bool takes_one_message() const noexcept override { return CallOf::takes_one_message; }
  void request(ServerContext& context, Arguments&... arguments, ServerCompletionQueue& queue,
               void* tag) {
    (service_.*request_)(&context, &arguments..., &queue, &queue, tag);
  }
  template <class... Given>
  Answer answer(Given&... given) {
    return handler_(given...);
  }

 private:
  Owner& service_;
  const Member request_;
  Handler handler_;
};

// A message that keeps its memory for the next, where that is little; and not for ever, as each may
// leave some where the others had none.
template <class Message>
class Kept {
 public:
  Message& operator*() noexcept { return *message_; }
  const Message* operator->() const noexcept { return &*message_; }
  void clear() {
    constexpr std::size_t most_kept_bytes = 4096;
    constexpr std::uint32_t most_uses = 64;
    if (++uses_ == most_uses || message_->ByteSizeLong() > most_kept_bytes) {
      message_.emplace();
      uses_ = 0;
    } else {
      message_->Clear();
    }
  }

 private:
  std::optional<Message> message_{std::in_place};
  std::uint32_t uses_ = 0;
};

template <class Message>
bool parse(std::string_view bytes, Message& message) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

template <class In, class Out>
struct Unary {
  static constexpr bool takes_one_message = true;
  template <class Bound>
  class With final : public Call {
   public:
    With(Worker& worker, Bound& bound) noexcept : Call(worker, bound), bound_(bound) {}

   private:
    void request(ServerContext& context, ServerCompletionQueue& queue, void* tag) override {
      responder_.emplace(&context);
      bound_.request(context, *in_, *responder_, queue, tag);
    }
    bool accept(Wire&, std::string_view message) override { return parse(message, *in_); }
    Answer answer() override {
      Call& call = *this;
      return bound_.answer(call, std::as_const(*in_), *out_);
    }
    void finish(const ::grpc::Status& status, void* tag) override {
      if (wire() != nullptr)
        return wire()->finish(status.ok() ? &*out_ : nullptr, status, *static_cast<Tag*>(tag));
      status.ok() ? responder_->Finish(*out_, status, tag)
                  : responder_->FinishWithError(status, tag);
    }
    void clear() noexcept override {
      responder_.reset();
      in_.clear();
      out_.clear();
    }
    bool is_unary() const noexcept override { return true; }
    std::size_t request_bytes() const override { return in_->ByteSizeLong(); }
    std::size_t response_bytes() const override { return out_->ByteSizeLong(); }

    Bound& bound_;
    Kept<In> in_;
    Kept<Out> out_;
    std::optional<::grpc::ServerAsyncResponseWriter<Out>> responder_;
  };
};

template <class In, class Out>
struct ServerStream {
  static constexpr bool takes_one_message = true;
  template <class Bound>
  class With final : public Call {
   public:
    With(Worker& worker, Bound& bound) noexcept : Call(worker, bound), bound_(bound) {}

   private:
    void request(ServerContext& context, ServerCompletionQueue& queue, void* tag) override {
      in_.emplace();
      stream_.emplace(&context);
      writer_.emplace(*this, *stream_);
      bound_.request(context, *in_, *stream_, queue, tag);
    }
    bool accept(Wire& wire, std::string_view message) override {
      in_.emplace();
      written_.emplace(wire);
      writer_.emplace(*this, *written_);
      return parse(message, *in_);
    }
    Answer answer() override {
      Call& call = *this;
      return bound_.answer(call, std::as_const(*in_), *writer_);
    }
    void finish(const ::grpc::Status& status, void* tag) override {
      if (wire() != nullptr) return wire()->finish(nullptr, status, *static_cast<Tag*>(tag));
      stream_->Finish(status, tag);
    }
    void clear() noexcept override {
      writer_.reset();
      written_.reset();
      stream_.reset();
      in_.reset();
    }

    Bound& bound_;
    std::optional<In> in_;
    std::optional<::grpc::ServerAsyncWriter<Out>> stream_;
    std::optional<WireWriter<Out>> written_;
    std::optional<Writer<Out>> writer_;
  };
};

template <class In, class Out>
struct ClientStream {
  static constexpr bool takes_one_message = false;
  template <class Bound>
  class With final : public Call {
   public:
    With(Worker& worker, Bound& bound) noexcept : Call(worker, bound), bound_(bound) {}

   private:
    void request(ServerContext& context, ServerCompletionQueue& queue, void* tag) override {
      out_.emplace();
      stream_.emplace(&context);
      reader_.emplace(*this, *stream_);
      bound_.request(context, *stream_, queue, tag);
    }
    bool accept(Wire& wire, std::string_view) override {
      out_.emplace();
      read_.emplace(wire);
      reader_.emplace(*this, *read_);
      return true;
    }
    Answer answer() override {
      Call& call = *this;
      return bound_.answer(call, *reader_, *out_);
    }
    void finish(const ::grpc::Status& status, void* tag) override {
      if (wire() != nullptr)
        return wire()->finish(status.ok() ? &*out_ : nullptr, status, *static_cast<Tag*>(tag));
      status.ok() ? stream_->Finish(*out_, status, tag) : stream_->FinishWithError(status, tag);
    }
    void clear() noexcept override {
      reader_.reset();
      read_.reset();
      stream_.reset();
      out_.reset();
    }

    Bound& bound_;
    std::optional<Out> out_;
    std::optional<::grpc::ServerAsyncReader<Out, In>> stream_;
    std::optional<WireReader<In>> read_;
    std::optional<Reader<In>> reader_;
  };
};

template <class In, class Out>
struct Stream {
  static constexpr bool takes_one_message = false;
  template <class Bound>
  class With final : public Call {
   public:
    With(Worker& worker, Bound& bound) noexcept : Call(worker, bound), bound_(bound) {}

   private:
    void request(ServerContext& context, ServerCompletionQueue& queue, void* tag) override {
      stream_.emplace(&context);
      reader_.emplace(*this, *stream_);
      writer_.emplace(*this, *stream_);
      bound_.request(context, *stream_, queue, tag);
    }
    bool accept(Wire& wire, std::string_view) override {
      read_.emplace(wire);
      written_.emplace(wire);
      reader_.emplace(*this, *read_);
      writer_.emplace(*this, *written_);
      return true;
    }
    Answer answer() override {
      Call& call = *this;
      return bound_.answer(call, *reader_, *writer_);
    }
    void finish(const ::grpc::Status& status, void* tag) override {
      if (wire() != nullptr) return wire()->finish(nullptr, status, *static_cast<Tag*>(tag));
      stream_->Finish(status, tag);
    }
    void clear() noexcept override {
      writer_.reset();
      reader_.reset();
      written_.reset();
      read_.reset();
      stream_.reset();
    }

    Bound& bound_;
    std::optional<::grpc::ServerAsyncReaderWriter<Out, In>> stream_;
    std::optional<WireReader<In>> read_;
    std::optional<WireWriter<Out>> written_;
    std::optional<Reader<In>> reader_;
    std::optional<Writer<Out>> writer_;
  };
};

}  // namespace method

}  // namespace weft::grpc
