// SPDX-License-Identifier: Apache-2.0
// Finding, compiling and starting Go, Node, Apache httpd and nginx, each as who knows it would.
#include "bench_http_peers.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "bench/interrupt.h"
#include "bench_budget_rivals.h"
#include "bench_http_sources.h"
#include "os/file.h"
#include "trial/interrupt.h"

namespace weft::tool {
namespace {

using Kind = HttpServerKind;
using Words = std::vector<std::string>;

constexpr std::chrono::seconds compile_timeout{300};
constexpr const char* apache_modules = "/usr/lib/apache2/modules";
constexpr const char* node_threads = "128";  // as many as our pools may have

// In PATH, or where Debian has its servers.
std::string find_server_program(const std::string& name) {
  if (std::string found = bench::find_program(name); !found.empty()) return found;
  const std::string candidate = "/usr/sbin/" + name;
  return ::access(candidate.c_str(), X_OK) == 0 ? candidate : std::string();
}

const char* program_of(Kind kind) {
  switch (kind) {
    case Kind::go:
      return "go";
    case Kind::node:
      return "node";
    case Kind::apache_worker:
    case Kind::apache_event:
      return "apache2";
    case Kind::nginx:
      return "nginx";
    case Kind::bare_loop:
      return "cc";
    case Kind::weft:
      break;
  }
  return "weft";
}

std::string first_line(std::string_view text) {
  return std::string(base::trim(base::take_until(text, '\n')));
}

base::Result<std::string> compile_go(const std::string& go,
                                     const bench::TemporaryDirectory& directory) {
  const std::string place = directory.path().string();
  auto options = trial::interruptible(compile_timeout);
  options.environment = {"GOCACHE=" + place + "/go-cache",
                         "GOPATH=" + place + "/go-path",
                         "GOFLAGS=-mod=mod",
                         "GOPROXY=off",
                         "GOTOOLCHAIN=local",
                         "GOENV=off",
                         "GOWORK=off",
                         "CGO_ENABLED=0"};
  if (const auto module = directory.write("go.mod", "module server\n\ngo 1.19\n"); !module) {
    return module.error();
  }
  const auto source = directory.write("server.go", go_server_source);
  if (!source) return source.error();
  std::string program = place + "/go-server";
  const auto built =
      output_of({"env", "--chdir=" + place, go, "build", "-o", program, "server.go"}, options);
  if (!built) return built.error();
  return program;
}

base::Result<std::string> compile_bare_loop(const std::string& compiler,
                                            const bench::TemporaryDirectory& directory) {
  const auto source = directory.write("bare_loop.c", bare_loop_source);
  if (!source) return source.error();
  std::string program = (directory.path() / "bare_loop").string();
  const auto built =
      output_of({compiler, "-O2", *source, "-o", program}, trial::interruptible(compile_timeout));
  if (!built) return built.error();
  return program;
}

}  // namespace

std::string version_of(const std::vector<std::string>& command) {
  const auto finished = sandbox::run(command, trial::interruptible(std::chrono::seconds{30}));
  if (!finished) return "unknown";
  return base::printable(
      first_line(finished->output.empty() ? finished->errors : finished->output));
}

void HttpPeers::add_version(const std::string& name, const Words& command) {
  versions_.emplace_back(name, version_of(command));
}

base::Status HttpPeers::prepare_apache_module(const bench::TemporaryDirectory& directory) {
  if (!apache_module_.empty()) return base::Done{};
  const auto source = directory.write("mod_handlers.c", apache_module_source);
  if (!source) return source.error();
  const auto include = output_of({"apxs", "-q", "INCLUDEDIR"}, {});
  if (!include) return include.error();
  const auto apr_include = output_of({"apxs", "-q", "APR_INCLUDEDIR"}, {});
  if (!apr_include) return apr_include.error();
  const std::string module = (directory.path() / "mod_handlers.so").string();
  const auto built =
      output_of({"cc", "-shared", "-fPIC", "-O2", "-DLINUX", "-D_REENTRANT", "-D_GNU_SOURCE",
                 "-I" + std::string(base::trim(*include)),
                 "-I" + std::string(base::trim(*apr_include)), *source, "-o", module},
                trial::interruptible(compile_timeout));
  if (!built) return built.error();
  apache_module_ = module;
  return base::Done{};
}

base::Status HttpPeers::prepare_one(Kind kind, const bench::TemporaryDirectory& directory) {
  std::string program = kind == Kind::weft
                            ? std::filesystem::read_symlink("/proc/self/exe").string()
                            : find_server_program(program_of(kind));
  const std::string name = name_of(kind);
  if (kind == Kind::weft) {
    add_version(name, {program, "--version"});
    const auto help = output_of({program, "serve", "--help"}, {});
    if (!help) return help.error();
    weft_help_ = *help;
  } else if (kind == Kind::go) {
    add_version(name, {program, "version"});
    auto compiled = compile_go(program, directory);
    if (!compiled) return compiled.error();
    program = *compiled;
  } else if (kind == Kind::bare_loop) {
    add_version(name, {program, "--version"});
    auto compiled = compile_bare_loop(program, directory);
    if (!compiled) return compiled.error();
    program = *compiled;
  } else if (kind == Kind::node) {
    add_version(name, {program, "--version"});
    const auto source = directory.write("server.js", node_server_source);
    if (!source) return source.error();
  } else {
    add_version(name, {program, "-v"});
    if (kind != Kind::nginx) {
      if (auto status = prepare_apache_module(directory); !status) return status;
    }
  }
  programs_[kind] = program;
  return base::Done{};
}

base::Result<HttpPeers> HttpPeers::prepare(const bench::TemporaryDirectory& directory,
                                           const std::set<Kind>& wanted, bool allow_missing,
                                           bench::Progress& progress) {
  HttpPeers peers;
  std::set<Kind> found;
  for (const Kind kind : wanted) {
    const bool is_apache = kind == Kind::apache_worker || kind == Kind::apache_event;
    const bool is_there =
        kind == Kind::weft || (!find_server_program(program_of(kind)).empty() &&
                               (!is_apache || !bench::find_program("apxs").empty()));
    if (is_there) {
      found.insert(kind);
    } else {
      peers.missing_.emplace_back(std::string(name_of(kind)) +
                                  (is_apache ? " (apache2-bin and apache2-dev)" : ""));
    }
  }
  if (!peers.missing_.empty() && !allow_missing) return bench::missing_rivals(peers.missing_);

  // Servers that begin as root go on as somebody else, who must be able to read what they serve.
  const auto everybody = std::filesystem::perms{0755};
  std::error_code error;
  std::filesystem::permissions(directory.path(), everybody, error);
  const auto folder = directory.path() / "www";
  std::filesystem::create_directories(folder, error);
  std::filesystem::permissions(folder, everybody, error);
  if (error) return base::Error{"cannot make " + folder.string() + ": " + error.message()};
  const auto file =
      directory.write("www" + std::string(http_file_path), std::string(http_file_bytes, 'x'));
  if (!file) return file.error();
  std::filesystem::permissions(*file, std::filesystem::perms{0644}, error);
  peers.folder_ = folder.string();

  for (const Kind kind : found) {
    if (auto status = bench::check_interrupt(); !status) return status.error();
    progress.show(std::string("preparing ") + name_of(kind));
    if (auto status = peers.prepare_one(kind, directory); !status) return status.error();
  }
  return peers;
}

bool HttpPeers::knows_policy(const std::string& name) const {
  return weft_help_.find(name) != std::string::npos;
}

base::Result<Words> HttpPeers::words_to_start(Kind kind, const Words& options, std::uint16_t port,
                                              std::uint16_t admin_port,
                                              const std::string& place) const {
  const std::string& program = programs_.at(kind);
  const std::string port_text = std::to_string(port);
  if (kind == Kind::weft) {
    Words words = {program,    "serve",
                   folder_,    "--test-handlers",
                   "--listen", "127.0.0.1:" + port_text,
                   "--admin",  "127.0.0.1:" + std::to_string(admin_port)};
    words.insert(words.end(), options.begin(), options.end());
    return words;
  }
  if (kind == Kind::go) return Words{program, port_text, folder_};
  if (kind == Kind::bare_loop) return Words{program, port_text};
  if (kind == Kind::node) {
    const auto source = std::filesystem::path(folder_).parent_path() / "server.js";
    return Words{program, source.string(), port_text, folder_, node_threads};
  }
  const bool is_event = kind == Kind::apache_event;
  const std::string settings = fill_in(kind == Kind::nginx ? nginx_settings : apache_settings,
                                       {{"DIRECTORY", place},
                                        {"PORT", port_text},
                                        {"FOLDER", folder_},
                                        {"USER", ::geteuid() == 0 ? "user root;" : ""},
                                        {"MPM", is_event ? "event" : "worker"},
                                        {"ASYNC", is_event ? "AsyncRequestWorkerFactor 20" : ""},
                                        {"MODULES", apache_modules},
                                        {"MODULE", apache_module_}});
  const std::string path = place + "/settings.conf";
  std::ofstream file(path);
  file << settings;
  file.close();
  if (!file) return os::last_error("write", path);
  if (kind == Kind::nginx) return Words{program, "-c", path, "-e", place + "/errors.log"};
  return Words{program, "-f", path, "-DFOREGROUND"};
}

}  // namespace weft::tool
