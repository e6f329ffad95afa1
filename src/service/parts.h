// SPDX-License-Identifier: Apache-2.0
// Parts: what a service is made of, from its start to its end.
//
// The order of the members is that of their needs: what is declared later may use what is declared
// earlier, and goes before it. The admin port is last: it looks at all others until the very end.
#pragma once

#include <weft/admission_control.h>
#include <weft/budget.h>
#include <weft/coroutines.h>
#include <weft/grpc_server.h>
#include <weft/pool.h>
#include <weft/service.h>
#include <weft/sql_pool.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "serve/admin_port.h"
#include "serve/server.h"
#include "serve/web_site.h"
#include "service/ending.h"
#include "service/library_logs.h"
#include "service/numbers.h"

namespace weft::service {

class Parts {
 public:
  Parts(Options options, std::shared_ptr<spdlog::logger> log);
  ~Parts();
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  // For who builds the service; and what is made when it is first asked for, for handlers, too.
  void add(std::string_view method, std::string_view pattern, HttpHandler handler);
  grpc::Server& grpc();
  Pool& blocking_pool();
  Coroutines& coroutines();
  sql::ConnectionPool& database();
  spdlog::logger& log() noexcept { return *log_; }
  // Who answers HTTP, for those who bring requests without a port.
  serve::Site& site() noexcept { return site_; }
  void at_end(std::string name, std::function<void()> function) {
    own_endings_.emplace_back(std::move(name), std::move(function));
  }

  // Opens the ports. Throws, or answers, what is wrong with them.
  base::Status start();
  // Where it listens, for people.
  const std::string& places() const noexcept { return places_; }
  // Answers what was accepted, and ends. False: not all of it in time; some of it may still run, so
  // the process is to end without taking anything apart.
  bool end();

 private:
  base::Status open_http();
  base::Status start_admin();
  base::Status start_grpc();
  bool end_servers(Ending::Clock::time_point deadline);
  void add_steps(Ending& ending);
  void call(const HttpHandler& handler, const serve::Call& call, serve::Response& response);
  void add_place(const std::string& what, const std::string& where);

  const Options options_;
  const std::shared_ptr<spdlog::logger> log_;
  const LibraryLogs library_logs_{log_};
  std::mutex making_;     // of what is made when it is asked for
  budget::Watch budget_;  // for people: what follows it has its own
  AdmissionControl admission_;
  Numbers numbers_{admission_, budget_};
  std::optional<sql::ConnectionPool> database_;
  std::optional<Pool> blocking_pool_;
  std::optional<Coroutines> coroutines_;
  serve::WebSite site_;
  std::unique_ptr<serve::RunningServer> http_;  // one that serves nobody, where there is no port
  std::optional<int> http_listener_;            // its own, and open until it is drained
  std::unique_ptr<grpc::Server> grpc_;          // none: nobody has asked for it
  bool grpc_serves_ = false;
  serve::AdminPort admin_;
  std::string places_;
  std::vector<std::pair<std::string, std::function<void()>>> own_endings_;
  budget::Watch::Subscription tells_changes_;
};

}  // namespace weft::service
