// SPDX-License-Identifier: Apache-2.0
// PostgreSQL on a port of the loopback, with a password that needs percent-encoding.
#include <csignal>
#include <fstream>

#include "tests/sql/server_process.h"
#include "tests/sql/servers.h"

namespace weft::sql::test {
namespace {

constexpr const char* user = "postgres";  // it refuses to be root

class PostgresqlServer final : public Server {
 public:
  PostgresqlServer() : folder_(user), port_(free_port()) {
    const auto password = folder_.path() / "password";
    std::ofstream(password) << "p@ss:w/rd%\n";
    run_command(words_as(user, {find_program("initdb"), "-D", data(), "-U", "weft", "--no-sync",
                                "-A", "scram-sha-256", "--pwfile=" + password.string(), "-E",
                                "UTF8", "--no-locale"}),
                log());
  }
  std::string name() const override { return "postgresql"; }
  Url url() const override {
    return Url::parse("postgresql://weft:p%40ss%3Aw%2Frd%25@127.0.0.1:" + std::to_string(port_) +
                      "/postgres");
  }
  Url other_url() const override {
    return Url::parse("postgresql://weft:p%40ss%3Aw%2Frd%25@:" + std::to_string(port_) +
                      "/postgres?host=" + folder_.path().string());
  }
  std::string blob_type() const override { return "BYTEA"; }
  std::string statement_that_takes(double seconds) const override {
    return "SELECT 1 FROM pg_sleep(" + std::to_string(seconds) + ")";
  }
  void start() override {
    process_.start(
        words_as(user, {find_program("postgres"), "-D", data(), "-p", std::to_string(port_), "-h",
                        "127.0.0.1", "-k", folder_.path().string(), "-F", "-c",
                        "shared_buffers=16MB", "-c", "max_connections=40"}),
        log());
    wait_until_it_answers(url(), process_, log());
  }
  void stop() override { process_.stop(SIGINT); }  // at once, and properly
  void freeze() override { process_.signal_all(SIGSTOP); }
  void thaw() override { process_.signal_all(SIGCONT); }

 private:
  std::string data() const { return folder_.path() / "data"; }
  std::filesystem::path log() const { return folder_.path() / "log"; }

  const ServerFolder folder_;
  const int port_;
  ServerProcess process_;
};

}  // namespace

std::unique_ptr<Server> make_postgresql() {
  if (find_program("postgres").empty() || find_program("initdb").empty()) return nullptr;
  return std::make_unique<PostgresqlServer>();
}

}  // namespace weft::sql::test
