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
#include "serve/access_log.h"
#include "serve/concurrency.h"
#include "serve/conversations.h"
#include "serve/coroutines.h"
#include "serve/server.h"
#include "serve/web_site.h"
#include "serve_admin.h"
#include "suggest.h"
#include "version.h"

namespace weft::tool {
namespace {

struct Arguments {
  std::string folder;
  std::vector<std::string> listen;
  std::string admin;
  std::string policy = "adaptive";
  int workers = 0;
  int most_workers = 0;
  int grace_seconds = 30;
  std::string certificate, key;
  std::string access_log;
  std::string access_log_format = "combined";
  bool test_handlers = false;
};

constexpr const char* footer =
    "Signals: SIGTERM and SIGINT end it once everything accepted is answered; SIGHUP reads the\n"
    "certificate again, and opens the access log again, by its name. Sockets of systemd "
    "(LISTEN_FDS)\n"
    "are taken in place of --listen.\n"
    "\nExit status: 0 ended, and everything was answered; 1 not all of it in time; 2 it could not "
    "start.\n";

constexpr const char* default_address = "127.0.0.1:8080";

int complain(const std::string& message) {
  std::cerr << "weft serve: " << message << '\n';
  return exit_usage;
}

using Listeners = std::vector<os::Descriptor>;

std::unique_ptr<serve::RunningServer> make_pooled(Policy policy, const Arguments& arguments,
                                                  serve::Site& site, Listeners listeners) {
  serve::ServerOptions options;
  options.pool.policy = policy;
  options.pool.minimum = static_cast<std::uint32_t>(arguments.workers);
  options.pool.maximum = static_cast<std::uint32_t>(arguments.most_workers);
  return std::make_unique<serve::Server>(std::move(options), site, std::move(listeners));
}

std::unique_ptr<serve::RunningServer> make_conversations(
    std::unique_ptr<serve::Concurrency> concurrency, serve::Site& site, Listeners listeners) {
  return std::make_unique<serve::Conversations>(serve::ReactorLimits{}, site, std::move(listeners),
                                                std::move(concurrency));
}

using Make = std::unique_ptr<serve::RunningServer> (*)(const Arguments& arguments,
                                                       serve::Site& site, Listeners listeners);

template <Policy policy>
std::unique_ptr<serve::RunningServer> make(const Arguments& arguments, serve::Site& site,
                                           Listeners listeners) {
  return make_pooled(policy, arguments, site, std::move(listeners));
}

struct Model {
  const char* name;
  Make make;
};

constexpr Model models[] = {
    {"fixed", make<Policy::fixed>},
    {"adaptive-inline", make<Policy::adaptive_inline>},
    {"adaptive-monitor", make<Policy::adaptive_monitor>},
    {"adaptive", make<Policy::adaptive>},
    {"fibers",
     [](const Arguments& arguments, serve::Site& site, Listeners listeners) {
       return make_conversations(serve::make_fibers(static_cast<unsigned>(arguments.workers)), site,
                                 std::move(listeners));
     }},
    {"coroutines",
     [](const Arguments& arguments, serve::Site& site, Listeners listeners) {
       serve::CoroutineOptions options;
       options.threads = static_cast<unsigned>(arguments.workers);
       options.pool.maximum = static_cast<std::uint32_t>(arguments.most_workers);
       return serve::make_coroutines(std::move(options), site, std::move(listeners));
     }},
    {"thread-per-connection",
     [](const Arguments&, serve::Site& site, Listeners listeners) {
       return make_conversations(serve::make_threads(), site, std::move(listeners));
     }},
};

base::Result<Make> find_model(const std::string& name) {
  std::vector<std::string> names;
  std::string known;
  for (const Model& model : models) {
    if (name == model.name) return model.make;
    names.emplace_back(model.name);
    known += (known.empty() ? "" : ", ") + names.back();
  }
  return base::Error{"there is no policy '" + name + "'." + did_you_mean(name, names) +
                     " Policies are: " + known};
}

base::Result<std::vector<os::Descriptor>> open_listeners(const Arguments& arguments) {
  auto sockets = net::take_inherited_sockets();
  if (!sockets || !sockets->empty()) return sockets;
  std::vector<std::string> places = arguments.listen;
  if (places.empty()) places.emplace_back(default_address);
  for (const std::string& place : places) {
    const auto address = net::Address::parse(place);
    if (!address) return address.error();
    auto socket = net::listen_on(*address);
    if (!socket) return socket.error();
    sockets->push_back(std::move(*socket));
  }
  return sockets;
}

base::Status fill(serve::WebSite& site, const Arguments& arguments) {
  if (!arguments.folder.empty()) {
    auto tree = serve::FileTree::open(arguments.folder);
    if (!tree) return tree.error();
    site.add_files(std::move(*tree));
  }
  if (arguments.test_handlers) return serve::add_test_handlers(site);
  return base::Done{};
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

base::Status read_certificate(const Arguments& arguments, serve::RunningServer& server) {
  if (arguments.certificate.empty()) return base::Done{};
  auto context = net::TlsContext::load(arguments.certificate, arguments.key);
  if (!context) return context.error();
  server.use_tls(std::move(*context));
  return base::Done{};
}

// None, where none is asked for.
base::Result<std::unique_ptr<serve::AccessLog>> open_log(const Arguments& arguments) {
  if (arguments.access_log.empty()) return std::unique_ptr<serve::AccessLog>();
  const std::string& format = arguments.access_log_format;
  if (format != "combined" && format != "json") {
    return base::Error{"there is no access log format '" + format + "': say combined or json"};
  }
  return serve::AccessLog::open(
      {.path = arguments.access_log,
       .format = format == "json" ? serve::AccessFormat::json : serve::AccessFormat::combined,
       .complain = [](const std::string& message) {
         std::cerr << "weft serve: " + message + "\n";
       }});
}

// What nobody takes is not waited for.
constexpr auto patience_for_log = std::chrono::seconds{5};

void wait_for_end(const Arguments& arguments, serve::RunningServer& server,
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

int serve_until_told(const Arguments& arguments) {
  const auto make = find_model(arguments.policy);
  if (!make) return complain(make.error().message);
  if (arguments.folder.empty() && !arguments.test_handlers) {
    return complain("nothing to serve: name a folder, or say --test-handlers");
  }
  serve::WebSite site;
  if (const auto status = fill(site, arguments); !status) return complain(status.error().message);
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
  ServeAdmin admin;
  if (!arguments.admin.empty()) {
    const auto status = admin.start(arguments.admin, std::move(about), *server);
    if (!status) return complain(status.error().message);
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
  auto arguments = std::make_shared<Arguments>();
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
