// SPDX-License-Identifier: Apache-2.0
// A service from its first line to its exit status.
#include <pthread.h>
#include <signal.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/resource.h>
#include <weft/log.h>
#include <weft/service.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <utility>

#include "net/service_manager.h"
#include "service/command_line.h"
#include "service/last_line.h"
#include "service/parts.h"
#include "service/process.h"

namespace weft::service {
namespace {

enum Exit : int { exit_done = 0, exit_late = 1, exit_not_started = 2 };

constexpr std::chrono::seconds time_for_last_lines(1);

// As many connections as the system lets us have.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Blocked in all threads from now on, and waited for by one.
sigset_t block_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  return signals;
}

int run(const Settings& settings, const std::function<void(Service&)>& build) {
  const auto sizes = apply_sizes(budget::read());
  const sigset_t signals = block_signals();
  raise_descriptor_limit();
  const auto last_line = std::make_shared<LastLine>();
  const auto log = make_async_logger(settings.options.name,
                                     {std::make_shared<spdlog::sinks::stderr_sink_mt>(), last_line},
                                     settings.log_format);
  for (const Setting& setting : sizes) {
    if (setting.problem.empty()) {
      log->info("{}: {} ({})", setting.name, setting.value, setting.rule);
    } else {
      log->warn("{} could not be set to {}: {}", setting.name, setting.value, setting.problem);
    }
  }
  Parts parts(settings.options, log);
  Service service(parts);  // handlers may refer to it
  try {
    build(service);
    if (const auto status = parts.start(); !status) {
      log->error("could not start: {}", status.error().message);
      return exit_not_started;
    }
  } catch (const std::exception& thrown) {
    log->error("could not start: {}", thrown.what());
    return exit_not_started;
  }
  log->info("serving: {}", parts.places());
  net::notify_manager("READY=1\nSTATUS=serving: " + parts.places());
  int signal = 0;
  ::sigwait(&signals, &signal);
  net::notify_manager("STOPPING=1");
  log->info("{}: ending within {} ms", signal == SIGTERM ? "SIGTERM" : "SIGINT",
            settings.options.grace.count());
  // Who is told twice ends at once.
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  if (parts.end()) return exit_done;
  last_line->say(*log, "ends, and leaves what was not done in time", time_for_last_lines);
  std::_Exit(exit_late);  // handlers that still run are not waited for
}

}  // namespace

void Service::http(std::string_view method, std::string_view pattern, HttpHandler handler) {
  parts_.add(method, pattern, std::move(handler));
}
grpc::Server& Service::grpc() {
  return parts_.grpc();
}
Pool& Service::blocking_pool() {
  return parts_.blocking_pool();
}
Coroutines& Service::coroutines() {
  return parts_.coroutines();
}
sql::ConnectionPool& Service::database() {
  return parts_.database();
}
spdlog::logger& Service::log() noexcept {
  return parts_.log();
}
void Service::at_end(std::string name, std::function<void()> function) {
  parts_.at_end(std::move(name), std::move(function));
}

int main(int count, char** words, Options defaults, const std::function<void(Service&)>& build) {
  int exit_code = exit_done;
  const auto settings = read_command_line(count, words, std::move(defaults), exit_code);
  return settings ? run(*settings, build) : exit_code;
}

}  // namespace weft::service
