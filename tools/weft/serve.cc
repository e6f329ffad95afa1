// SPDX-License-Identifier: Apache-2.0
// `weft serve`: StreetLegal, a web server for a folder, or for measurements.
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "exit_code.h"
#include "net/listener.h"
#include "net/service_manager.h"
#include "serve.h"
#include "serve/access_log.h"
#include "serve/admin_port.h"
#include "serve/running_server.h"
#include "serve/web_site.h"
#include "version.h"

namespace weft::tool {
namespace {

constexpr const char* footer =
    "Signals: SIGTERM and SIGINT end it once everything accepted is answered; SIGHUP reads the\n"
    "certificate again, and opens the access log again, by its name. Sockets of systemd "
    "(LISTEN_FDS)\n"
    "are taken in place of --listen.\n"
    "\nExit status: 0 ended, and everything was answered; 1 not all of it in time; 2 it could not "
    "start.\n";

int complain(const std::string& message) {
  std::cerr << "weft serve: " << message << '\n';
  return exit_usage;
}

// As many connections as the system lets us have.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

sigset_t signals_to_wait_for() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&signals, signal);
  return signals;
}

// What nobody takes is not waited for.
constexpr auto patience_for_log = std::chrono::seconds{5};

void wait_for_end(const ServeArguments& arguments, serve::RunningServer& server,
                  const sigset_t& signals) {
  for (;;) {
    int signal = 0;
    ::sigwait(&signals, &signal);
    if (signal != SIGHUP) return;
    net::notify_manager("RELOADING=1");
    if (server.log() != nullptr) server.log()->reopen();
    const auto status = read_certificate(arguments, server);
    if (!status) std::cerr << "weft serve: kept the old one: " << status.error().message << '\n';
    net::notify_manager("READY=1");
  }
}

int serve_until_told(const ServeArguments& arguments) {
  const auto make = find_policy(arguments.policy);
  if (!make) return complain(make.error().message);
  if (arguments.folder.empty() && !arguments.test_handlers) {
    return complain("nothing to serve: name a folder, or say --test-handlers");
  }
  serve::WebSite site;
  if (const auto status = fill_site(site, arguments); !status)
    return complain(status.error().message);
  // Sockets that were handed over are not ours alone.
  const bool are_ours = std::getenv("LISTEN_FDS") == nullptr;
  auto listeners = open_listeners(arguments);
  if (!listeners) return complain(listeners.error().message);
  serve::About about{.version = version_text, .policy = arguments.policy, .listens = {}};
  std::string places;
  std::vector<int> own_listeners;
  for (const os::Descriptor& listener : *listeners) {
    if (are_ours) own_listeners.push_back(listener.get());
    const auto address = net::address_of(listener);
    about.listens.push_back(address ? address->text() : "a socket");
    places += (places.empty() ? "" : ", ") + about.listens.back();
  }

  raise_descriptor_limit();
  const sigset_t signals = signals_to_wait_for();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  const auto log = open_log(arguments);
  if (!log) return complain(log.error().message);
  const auto server = (*make)(arguments, site, std::move(*listeners));
  server->log_to(log->get());
  if (const auto status = read_certificate(arguments, *server); !status) {
    return complain(status.error().message);
  }
  serve::AdminPort admin;
  if (!arguments.admin.empty()) {
    const auto place = admin.start(arguments.admin, std::move(about), *server);
    if (!place) return complain(place.error().message);
    std::cerr << "weft serve: admin on " << *place << '\n';
    if (admin.is_open_to_others()) {
      std::cerr << "weft serve: warning: whoever reaches " << *place
                << " sees how the server does; 127.0.0.1 keeps that to this machine\n";
    }
  }
  server->start();
  std::cerr << "weft serve: listening on " << places << " (policy " << arguments.policy << ")\n";
  net::notify_manager("READY=1\nSTATUS=listening on " + places);

  wait_for_end(arguments, *server, signals);
  net::notify_manager("STOPPING=1");
  admin.say_draining();
  // Who is told twice ends at once.
  ::signal(SIGHUP, SIG_IGN);
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  for (const int listener : own_listeners) net::take_no_handshakes(listener);
  const bool is_done = server->drain(std::chrono::seconds{arguments.grace_seconds});
  if (*log != nullptr && !(*log)->finish(patience_for_log)) {
    std::cerr << "weft serve: not all of the access log could be written\n";
  }
  if (is_done) return exit_done;
  std::cerr << "weft serve: not everything was answered within " << arguments.grace_seconds
            << " s\n";
  std::_Exit(exit_problem);  // handlers that still run are not waited for
}

Description describe() {
  auto arguments = std::make_shared<ServeArguments>();
  return {{{.name = "DIRECTORY", .help = "The folder to serve", .target = &arguments->folder},
           {.name = "--listen",
            .help = "Where; may be given more than once",
            .target = &arguments->listen,
            .value_text = "ADDRESS:PORT [127.0.0.1:8080]"},
           {.name = "--admin",
            .help = "Where the dashboard, /healthz, /readyz and /metrics are",
            .target = &arguments->admin,
            .value_text = "ADDRESS:PORT"},
           {.name = "--policy",
            .help = "Who runs handlers: a pool that is fixed, adaptive-inline, adaptive-monitor or "
                    "adaptive; fibers; coroutines; or thread-per-connection",
            .target = &arguments->policy,
            .value_text = "NAME [adaptive]"},
           {.name = "--workers",
            .help = "Threads for handlers, at least",
            .target = &arguments->workers,
            .value_text = "N [the CPU budget]",
            .least = 1,
            .most = 4096},
           {.name = "--max-workers",
            .help = "And at most",
            .target = &arguments->most_workers,
            .value_text = "N [64 for each CPU]",
            .least = 1,
            .most = 4096},
           {.name = "--tls-cert",
            .help = "Certificate, with those of its issuers behind it, in PEM",
            .target = &arguments->certificate,
            .value_text = "FILE",
            .needs = {"--tls-key"}},
           {.name = "--tls-key",
            .help = "Its key, in PEM",
            .target = &arguments->key,
            .value_text = "FILE",
            .needs = {"--tls-cert"}},
           {.name = "--access-log",
            .help = "Where a line for each response goes; - is standard output",
            .target = &arguments->access_log,
            .value_text = "FILE"},
           {.name = "--access-log-format",
            .help = "Of those lines: combined, as Apache and nginx write it, or json",
            .target = &arguments->access_log_format,
            .value_text = "NAME [combined]",
            .needs = {"--access-log"}},
           {.name = "--grace",
            .help = "How long to wait, at the end, for what was accepted",
            .target = &arguments->grace_seconds,
            .value_text = "SECONDS [30]",
            .least = 1,
            .most = 3600},
           {.name = "--test-handlers",
            .help = "Adds /_/hello, /_/sleep/MS, /_/cpu/US and /_/echo; streamed: /_/stream/BYTES, "
                    "/_/count and /_/early",
            .target = &arguments->test_handlers}},
          [arguments] { return serve_until_told(*arguments); }};
}

}  // namespace

const Command serve_command = {"serve", "Serve a folder over HTTP", footer, describe};

}  // namespace weft::tool
