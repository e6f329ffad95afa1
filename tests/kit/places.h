// SPDX-License-Identifier: Apache-2.0
// Places: work of every kind that waits for ten minutes, unless it is told to stop.
//
// A place is somewhere that a request waits: on a pool's thread, in a fiber, in a coroutine, in a
// call of a database. Each begins a request with a token, says when it is about to wait, and when
// and why it has stopped.
#pragma once

#include <weft/cancel.h>
#include <weft/sql.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weft::kit {

using Clock = std::chrono::steady_clock;

// What a request would wait for if nobody stopped it.
inline constexpr auto whole_wait = std::chrono::minutes(10);

struct Stopped {
  CancelReason reason = CancelReason::none;  // none: it was not told to
  Clock::time_point when;
};

struct Request {
  CancelToken token;
  std::function<void()> waits;           // once, or never: it was stopped before
  std::function<void(Stopped)> stopped;  // once; the last that it does
};

struct Place {
  std::string name;
  std::function<void(Request)> begin;
};

class Places {
 public:
  Places();
  // Waits for all that was begun.
  ~Places();
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  const std::vector<Place>& all() const noexcept { return all_; }
  // A statement of another database, which takes as long as whole_wait.
  void add_database(const std::string& name, const sql::Url& url, const std::string& statement);
  // Now and then, by who begins: keeps few of the fibers that are over.
  void clear_up();

 private:
  struct Parts;
  void add_threads();
  void add_fibers();
  void add_coroutines();

  std::vector<Place> all_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace weft::kit
