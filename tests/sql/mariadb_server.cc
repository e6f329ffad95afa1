// SPDX-License-Identifier: Apache-2.0
// MariaDB on a Unix socket, with a user of its own that has no more rights than a service.
#include <pwd.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "tests/sql/server_process.h"
#include "tests/sql/servers.h"

namespace weft::sql::test {
namespace {

std::string own_user() {
  const passwd* const entry = ::getpwuid(::geteuid());
  return entry == nullptr ? std::to_string(::geteuid()) : entry->pw_name;
}

class MariadbServer final : public Server {
 public:
  MariadbServer() : folder_(own_user()), port_(free_port()) {
    std::filesystem::create_directory(folder_.path() / "tmp");
    ::setenv("TMPDIR", (folder_.path() / "tmp").c_str(), 1);
    run_command(
        {find_program("mariadb-install-db"), "--no-defaults", "--user=" + own_user(),
         "--datadir=" + data(), "--auth-root-authentication-method=normal", "--skip-test-db"},
        log());
    ::unsetenv("TMPDIR");
    std::ofstream(folder_.path() / "init.sql")
        << "CREATE DATABASE IF NOT EXISTS weft CHARACTER SET utf8mb4;\n"
           "CREATE OR REPLACE USER weft@localhost IDENTIFIED BY 'p@ss:w/rd%';\n"
           "CREATE OR REPLACE USER weft@127.0.0.1 IDENTIFIED BY 'p@ss:w/rd%';\n"
           "GRANT ALL ON weft.* TO weft@localhost, weft@127.0.0.1;\n";
  }
  std::string name() const override { return "mariadb"; }
  Url url() const override {
    return Url::parse("mariadb://weft:p%40ss%3Aw%2Frd%25@/weft?socket=" + socket());
  }
  Url other_url() const override {
    return Url::parse("mariadb://weft:p%40ss%3Aw%2Frd%25@127.0.0.1:" + std::to_string(port_) +
                      "/weft");
  }
  std::string blob_type() const override { return "LONGBLOB"; }
  std::string statement_that_takes(double seconds) const override {
    return "SELECT SLEEP(" + std::to_string(seconds) + ")";
  }
  void start() override {
    process_.start(
        {find_program("mariadbd"), "--no-defaults", "--user=" + own_user(), "--datadir=" + data(),
         "--socket=" + socket(), "--bind-address=127.0.0.1", "--port=" + std::to_string(port_),
         "--skip-name-resolve", "--pid-file=" + (folder_.path() / "pid").string(),
         "--tmpdir=" + (folder_.path() / "tmp").string(), "--skip-log-bin",
         "--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=0",
         "--init-file=" + (folder_.path() / "init.sql").string()},
        log());
    wait_until_it_answers(url(), process_, log());
  }
  void stop() override { process_.stop(SIGTERM); }
  void freeze() override { process_.signal_all(SIGSTOP); }
  void thaw() override { process_.signal_all(SIGCONT); }

 private:
  std::string data() const { return folder_.path() / "data"; }
  std::string socket() const { return folder_.path() / "socket"; }
  std::filesystem::path log() const { return folder_.path() / "log"; }

  const ServerFolder folder_;
  const int port_;
  ServerProcess process_;
};

}  // namespace

std::unique_ptr<Server> make_mariadb() {
  if (find_program("mariadbd").empty() || find_program("mariadb-install-db").empty()) {
    return nullptr;
  }
  return std::make_unique<MariadbServer>();
}

}  // namespace weft::sql::test
