// SPDX-License-Identifier: Apache-2.0
// The active span of OpenTelemetry, kept where weft keeps a strand's context: so it comes along to
// pools, fibers and over every co_await, which OpenTelemetry's own storage, a stack of the
// thread's, does not.
//
//   opentelemetry::context::RuntimeContext::SetRuntimeContextStorage(
//       opentelemetry::nostd::shared_ptr<opentelemetry::context::RuntimeContextStorage>(
//           new weft::OtelStorage));                          // before the first span
//
// Needs the headers of opentelemetry-cpp, which Debian 12 does not have; weft itself needs none of
// it.
#pragma once

#include <opentelemetry/context/runtime_context.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include <weft/context.h>

namespace weft {

class OtelStorage final : public opentelemetry::context::RuntimeContextStorage {
  using OtelContext = opentelemetry::context::Context;
  using OtelToken = opentelemetry::context::Token;

 public:
  OtelContext GetCurrent() noexcept override {
    const void* const found = context::find(key_);
    return found == nullptr ? OtelContext() : *static_cast<const OtelContext*>(found);
  }

  opentelemetry::nostd::unique_ptr<OtelToken> Attach(
      const OtelContext& attached) noexcept override {
    auto place =
        std::make_unique<context::Place>(key_, std::make_shared<const OtelContext>(attached));
    opentelemetry::nostd::unique_ptr<OtelToken> token = CreateToken(attached);
    const std::scoped_lock guard(mutex_);
    places_[token.get()] = std::move(place);
    return token;
  }

  // Called by the token's end. On another strand than it was attached on it is counted
  // (guard_misuses()), and what was attached is seen no more.
  bool Detach(OtelToken& token) noexcept override {
    std::unique_ptr<context::Place> place;  // ends outside the lock
    const std::scoped_lock guard(mutex_);
    const auto found = places_.find(&token);
    if (found == places_.end()) return false;
    place = std::move(found->second);
    places_.erase(found);
    return true;
  }

 private:
  const context::Key key_{"opentelemetry"};
  std::mutex mutex_;
  std::map<const OtelToken*, std::unique_ptr<context::Place>> places_;  // guarded by mutex_
};

}  // namespace weft
