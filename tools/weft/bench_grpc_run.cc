// SPDX-License-Identifier: Apache-2.0
// Servers, generators, and the window in which both are looked at.
#include "bench_grpc_run.h"

#include <algorithm>

#include "base/text.h"
#include "bench/interrupt.h"
#include "bench_budget_rivals.h"
#include "bench_grpc_sources.h"
#include "os/file.h"
#include "trial/interrupt.h"

namespace weft::tool {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

constexpr milliseconds warm_up{1000};  // of the generators
constexpr milliseconds margin{200};    // at both ends of the window
constexpr milliseconds memory_interval{100};
constexpr milliseconds longest_end{20'000};
constexpr std::chrono::seconds compile_timeout{300};
constexpr std::size_t text_bytes = 100;
constexpr double whole_cpu = 0.95;
constexpr double microseconds = 1e6;
constexpr double mega = 1e6;

std::string number(unsigned value) {
  return std::to_string(value);
}

base::Result<GrpcNumbers> parse(GrpcGenerator generator, const std::string& text) {
  switch (generator) {
    case GrpcGenerator::h2load:
      return parse_h2load_summary(text);
    case GrpcGenerator::client:
      return parse_grpc_load(text);
    case GrpcGenerator::readers:
      return parse_grpc_readers(text);
  }
  return base::Error{"unknown generator"};
}

}  // namespace

base::Result<std::string> compile_go_grpc(const bench::TemporaryDirectory& directory) {
  const std::string go = bench::find_program("go");
  if (go.empty()) return base::Error{"go is not installed"};
  const std::string place = directory.path().string();
  auto options = trial::interruptible(compile_timeout);
  options.environment = {"GOCACHE=" + place + "/go-cache",
                         "GOPATH=/usr/share/gocode",  // where Debian's packages are
                         "GO111MODULE=off",
                         "GOFLAGS=",
                         "GOTOOLCHAIN=local",
                         "GOENV=off",
                         "CGO_ENABLED=0"};
  const auto source = directory.write("server.go", go_grpc_source);
  if (!source) return source.error();
  std::string program = place + "/go-grpc-server";
  const auto built =
      output_of({"env", "--chdir=" + place, go, "build", "-o", program, "server.go"}, options);
  if (!built) return built.error();
  return program;
}

base::Status GrpcRunner::prepare(const bench::TemporaryDirectory& directory) {
  const auto file = directory.write("body.bin", grpc_body(std::string(text_bytes, 'x')));
  if (!file) return file.error();
  body_file_ = *file;
  return base::Done{};
}

Words GrpcRunner::words_to_serve(GrpcServer server) const {
  const std::string anywhere = "127.0.0.1:0";
  switch (server) {
    case GrpcServer::go:
      return {programs_.go, anywhere};
    case GrpcServer::callback:
      return {programs_.ours, "callback", anywhere};
    case GrpcServer::weft:
      return {programs_.ours, "own", anywhere, "1"};
    case GrpcServer::weft_on_grpc:
      return {programs_.ours, "weft", anywhere, "1"};
    case GrpcServer::queues:
      return {programs_.ours, "queues", anywhere, "1"};
    case GrpcServer::unchecked_queues:
      return {programs_.ours, "unchecked-queues", anywhere, "1"};
    case GrpcServer::pour:
      return {programs_.ours, "own-pour", anywhere, "1"};
    case GrpcServer::pour_on_grpc:
      return {programs_.ours, "pour", anywhere, "1"};
  }
  return {};
}

Words GrpcRunner::words_to_load(const GrpcCell& cell, const std::string& address) const {
  const std::string length = number(cell.milliseconds);
  switch (cell.generator) {
    case GrpcGenerator::h2load:
      return {programs_.h2load,
              "-t1",
              "-c" + number(cell.connections),
              "-m" + number(cell.streams),
              "--warm-up-time=" + number(static_cast<unsigned>(warm_up.count())) + "ms",
              "-D" + length + "ms",
              "-d" + body_file_,
              "-Hcontent-type: application/grpc",
              "-Hte: trailers",
              "http://" + address + "/weft.grpc_bench.Echo/Say"};
    case GrpcGenerator::client:
      return {programs_.ours,       "load", address, number(cell.connections),
              number(cell.streams), length};
    case GrpcGenerator::readers:
      return {programs_.ours,
              "readers",
              address,
              number(cell.connections),
              number(cell.reader_bytes_per_second),
              number(cell.milliseconds + static_cast<unsigned>(warm_up.count()))};
  }
  return {};
}

base::Status GrpcRunner::check(const std::string& address) const {
  const auto checked =
      output_of({programs_.ours, "check", address}, trial::interruptible(std::chrono::seconds{20}));
  if (!checked) return checked.error();
  return base::Done{};
}

base::Result<TurnRun> GrpcRunner::run(const GrpcCell& cell, GrpcServer kind) const {
  const auto server = trial::BackgroundProcess::start(words_to_serve(kind), {cpus_.server},
                                                      directory_ + "/server.log");
  if (!server) return server.error();
  std::optional<int> port;
  const auto ready = wait_until_ready(*server, [&] {
    const auto printed = server->printed();
    port = printed ? parse_port(*printed) : std::nullopt;
    return port.has_value();
  });
  if (!ready) return ready.error();
  const std::string address = "127.0.0.1:" + std::to_string(*port);
  if (kind != GrpcServer::pour && kind != GrpcServer::pour_on_grpc) {
    if (const auto status = check(address); !status) return status.error();
  }
  auto generator = trial::BackgroundProcess::start(words_to_load(cell, address), {cpus_.generator},
                                                   directory_ + "/load.log");
  if (!generator) return generator.error();
  if (const auto status = sleep_through(warm_up + margin); !status) return status.error();
  const CpuShares window({server->id(), generator->id()});
  const auto end = Clock::now() + milliseconds(cell.milliseconds) - 2 * margin;
  std::vector<double> memory;
  while (Clock::now() < end) {
    if (cell.generator == GrpcGenerator::readers) memory.push_back(memory_bytes_of(server->id()));
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
    const auto pause = std::clamp(left, milliseconds(1), memory_interval);
    if (const auto status = sleep_through(pause); !status) return status.error();
  }
  const std::vector<double> shares = window.read();
  const auto code = generator->wait_for_end(longest_end);
  if (!code) return code.error();
  if (!server->is_running()) {
    return base::Error{"the server has died. Its last words:\n" + server->last_words()};
  }
  if (*code != 0) {
    return base::Error{"the generator failed with exit code " + std::to_string(*code) + ": " +
                       generator->last_words()};
  }
  const auto printed = generator->printed();
  if (!printed) return printed.error();
  auto numbers = parse(cell.generator, *printed);
  if (!numbers) return numbers.error();

  TurnRun run{std::move(*numbers)};
  run.numbers["server_cpu"] = shares[0];
  run.numbers["load_cpu"] = shares[1];
  if (const double rate = run.numbers["rate"]; rate > 0) {
    run.numbers["server_us"] = microseconds * shares[0] / rate;
  }
  if (!memory.empty()) {
    run.numbers["growth"] = growth_of(memory);
    run.numbers["memory"] = bench::median(memory) / mega;
  }
  if (cell.generator == GrpcGenerator::h2load && shares[1] >= whole_cpu && shares[0] < whole_cpu) {
    run.void_because = "the generator had no CPU left, and the server had";
  }
  return run;
}

}  // namespace weft::tool
