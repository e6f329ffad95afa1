// SPDX-License-Identifier: Apache-2.0
// Parts: what a service is made of, from its start to its end.
#pragma once

#include <weft/admission_control.h>
#include <weft/budget.h>
#include <weft/coroutines.h>
#include <weft/service.h>
#include <weft/sql_pool.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "serve/admin_port.h"
#include "serve/server.h"
#include "serve/web_site.h"
#include "service/ending.h"

namespace weft::service {

class Parts {
 public:
  Parts(Options options, const budget::Budget& budget, std::shared_ptr<spdlog::logger> log);
  ~Parts();
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  // For who builds the service.
  void add(std::string_view method, std::string_view pattern, HttpHandler handler);
  Coroutines& coroutines();
  sql::ConnectionPool& database();
  spdlog::logger& log() noexcept { return *log_; }

  // Opens the ports. Nothing is answered before all of them are open.
  base::Status start();
  // Where it listens, for people.
  const std::string& places() const noexcept { return places_; }
  // Answers what was accepted, and ends. False: not all of it in time.
  bool end();

 private:
  base::Status start_http();
  void call(const HttpHandler& handler, const serve::Call& call, serve::Response& response);

  const Options options_;
  const std::shared_ptr<spdlog::logger> log_;
  AdmissionControl admission_;
  serve::WebSite site_;
  std::optional<Coroutines> coroutines_;
  std::optional<sql::ConnectionPool> database_;
  std::unique_ptr<serve::Server> http_;
  serve::AdminPort admin_;
  std::string places_;
};

}  // namespace weft::service
