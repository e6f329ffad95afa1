// SPDX-License-Identifier: Apache-2.0
// ContextExecutor: an executor of Boost.Asio on which coroutines have a context of their own.
//
// Asio tells nobody when a coroutine is suspended, or goes on; but whatever goes on does so by the
// coroutine's executor. This one makes the coroutine's strand (<weft/context.h>) the current one
// around every such piece, and the thread's own afterwards. So it holds for whatever is awaited:
// sockets, timers, channels, other coroutines.
//
// All that runs on one of these, and on its copies, is one strand: co_spawn() of Asio on it, and
// Asio's operators && and ||, let two coroutines take turns on it, and their guards get mixed up
// (guard_misuses() counts). weft::spawn() and weft::branch() give each a strand of its own.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <weft/context.h>

namespace weft {

namespace coroutine {

// Where a coroutine has its context, wherever it runs.
class Home {
 public:
  Home();  // with the context of here
  ~Home();
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  // Precondition: nobody visits. What the last one to live here has left behind goes.
  void restart(context::Reference context) noexcept;

  class Visit {
   public:
    explicit Visit(Home& home) noexcept;
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    context::Strand* previous_;
  };

 private:
  std::unique_ptr<context::Strand> strand_;
};

// What a coroutine does at once, in its own context; also its end, should it never be done: what it
// owns may hold guards.
template <class Function>
class Piece {
 public:
  template <class Given>
  Piece(std::shared_ptr<Home> home, Given&& given)
      : home_(std::move(home)), function_(std::in_place, std::forward<Given>(given)) {}
  Piece(Piece&& other) noexcept(std::is_nothrow_move_constructible_v<Function>)
      : home_(std::move(other.home_)), function_(std::move(other.function_)) {
    other.function_.reset();
  }
  ~Piece() {
    if (!function_) return;
    const Home::Visit visit(*home_);
    function_.reset();
  }

  void operator()() {
    const Home::Visit visit(*home_);
    Function last = std::move(*function_);
    function_.reset();
    last();
  }

 private:
  std::shared_ptr<Home> home_;
  std::optional<Function> function_;
};

}  // namespace coroutine

class ContextExecutor {
 public:
  // Of a new strand, which has the context of the caller. Precondition: the inner one does one
  // thing after another (an Asio strand, or a context with one thread). (No constructor: to find
  // out whether this is an executor, Asio would have to know it.)
  static ContextExecutor on(boost::asio::any_io_executor inner);

  template <class Function>
  void execute(Function&& function) const {
    inner_.execute(
        coroutine::Piece<std::decay_t<Function>>(home_, std::forward<Function>(function)));
  }

  const boost::asio::any_io_executor& inner() const noexcept { return inner_; }
  // What is below such executors, and Asio's strands that were made with them: so that a coroutine
  // which begins another on its own executor does not make them pile up.
  static boost::asio::any_io_executor below(const boost::asio::any_io_executor& executor);

  bool operator==(const ContextExecutor&) const = default;

  // Whatever else Asio wants of an executor is the inner one's.
  template <class Property>
  requires(boost::asio::can_query_v<const boost::asio::any_io_executor&, Property>) decltype(auto)
      query(const Property& property) const {
    return boost::asio::query(inner_, property);
  }
  template <class Property>
  requires(boost::asio::can_require_v<const boost::asio::any_io_executor&, Property>)
      ContextExecutor require(const Property& property)
  const { return {boost::asio::require(inner_, property), home_}; }
  template <class Property>
  requires(boost::asio::can_prefer_v<const boost::asio::any_io_executor&, Property>) ContextExecutor
      prefer(const Property& property)
  const { return {boost::asio::prefer(inner_, property), home_}; }

 private:
  ContextExecutor(boost::asio::any_io_executor inner,
                  std::shared_ptr<coroutine::Home> home) noexcept
      : inner_(std::move(inner)), home_(std::move(home)) {}

  boost::asio::any_io_executor inner_;
  std::shared_ptr<coroutine::Home> home_;
};

}  // namespace weft
