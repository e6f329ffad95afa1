// SPDX-License-Identifier: Apache-2.0
// As much of opentelemetry-cpp's interface (1.x, opentelemetry/context/runtime_context.h) as a
// storage implements. Only where the library itself cannot be had: it is not in Debian 12.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace opentelemetry {

namespace nostd {
using std::shared_ptr;
using std::unique_ptr;
}  // namespace nostd

namespace context {

class Context {
 public:
  Context() = default;
  Context(const char* key, std::string value)
      : values_(std::make_shared<std::pair<std::string, std::string>>(key, std::move(value))) {}
  std::string GetValue(const char* key) const {
    return values_ != nullptr && values_->first == key ? values_->second : "";
  }
  bool operator==(const Context& other) const noexcept { return values_ == other.values_; }

 private:
  std::shared_ptr<std::pair<std::string, std::string>> values_;
};

class Token {
 public:
  bool operator==(const Context& other) const noexcept { return context_ == other; }
  ~Token() noexcept;

 private:
  friend class RuntimeContextStorage;
  explicit Token(Context context) noexcept : context_(std::move(context)) {}
  const Context context_;
};

class RuntimeContextStorage {
 public:
  virtual Context GetCurrent() noexcept = 0;
  virtual nostd::unique_ptr<Token> Attach(const Context& context) noexcept = 0;
  virtual bool Detach(Token& token) noexcept = 0;
  virtual ~RuntimeContextStorage() = default;

 protected:
  nostd::unique_ptr<Token> CreateToken(const Context& context) noexcept {
    return nostd::unique_ptr<Token>(new Token(context));
  }
};

class RuntimeContext {
 public:
  static Context GetCurrent() noexcept { return storage()->GetCurrent(); }
  static nostd::unique_ptr<Token> Attach(const Context& context) noexcept {
    return storage()->Attach(context);
  }
  static bool Detach(Token& token) noexcept { return storage()->Detach(token); }
  static void SetRuntimeContextStorage(nostd::shared_ptr<RuntimeContextStorage> set) noexcept {
    storage() = std::move(set);
  }

 private:
  static nostd::shared_ptr<RuntimeContextStorage>& storage() noexcept {
    static nostd::shared_ptr<RuntimeContextStorage> set;
    return set;
  }
};

inline Token::~Token() noexcept {
  RuntimeContext::Detach(*this);
}

}  // namespace context
}  // namespace opentelemetry
