// SPDX-License-Identifier: Apache-2.0
// As services/links/main.cc has it, without signals and ports of HTTP.
#include "links/house.h"

#include <spdlog/logger.h>
#include <weft/service.h>
#include <weft/sql_migrations.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "http_face.h"
#include "property.h"

namespace weft::fuzz {
namespace {

service::Options options_with(const std::string& grpc) {
  service::Options options;
  options.name = "links";
  options.http.clear();
  options.admin.clear();
  options.grpc = grpc;
  options.database = "sqlite::memory:";
  return options;
}

::links::Instant instant(std::int64_t milliseconds) {
  return ::links::Instant(std::chrono::milliseconds(milliseconds));
}

void check_line(std::string_view line, LogFormat format) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  require(line.ends_with('\n'), "a line of the log ends");
  line.remove_suffix(1);
  require(std::ranges::none_of(line, is_control), "nothing in the log is raw");
  require(is_utf8(line), "the log is UTF-8");
  require(line.find("a handler failed") == std::string_view::npos, "no handler fails");
  if (format != LogFormat::json) return;
  const auto object = nlohmann::json::parse(line, nullptr, false);
  require(object.is_object() && object.contains("message"), "a line of the log is an object");
}

}  // namespace

void KeptLines::sink_it_(const spdlog::details::log_msg& said) {
  spdlog::memory_buf_t formatted;
  formatter_->format(said, formatted);
  lines_.emplace_back(formatted.data(), formatted.size());
}

std::vector<std::string> KeptLines::take() {
  const std::scoped_lock guard(mutex_);
  return std::exchange(lines_, {});
}

House::House(LogFormat format, const std::string& grpc) : format_(format) {
  parts_ =
      std::make_unique<service::Parts>(options_with(grpc), make_logger("links", {lines_}, format));
  service::Service service(*parts_);
  sql::ConnectionPool& database = service.database();
  sql::migrate(*database.lease(), ::links::migrations());
  store_.emplace(database, ::links::make_model(
                               "threads", service.blocking_pool(), [&]() -> auto& {
                                 return parts_->coroutines();
                               }));
  ::links::serve_http(service, *store_);
  if (grpc.empty()) return;
  grpc_face_.emplace(service, *store_);
  require(static_cast<bool>(parts_->start()), "it starts");
}

House::~House() {
  if (grpc_face_) parts_->end();
}

void House::clear() {
  parts_->database().lease()->execute("DELETE FROM links");
}

AllKept House::stored() {
  const auto rows = parts_->database().lease()->execute(
      "SELECT link_key, url, created_ms, expires_ms, visits, is_chosen, idempotency_key FROM "
      "links");
  AllKept all;
  for (const sql::Row& row : rows) {
    Kept kept{{row.text(0), row.text(1), instant(row.integer(2)), std::nullopt, row.integer(4)},
              row.integer(5) != 0,
              std::nullopt};
    if (!row.is_null(3)) kept.link.expires = instant(row.integer(3));
    if (!row.is_null(6)) kept.idempotency_key = row.text(6);
    all.emplace(row.text(0), std::move(kept));
  }
  return all;
}

std::size_t House::check_lines() {
  const auto lines = lines_->take();
  for (const std::string& line : lines) check_line(line, format_);
  return lines.size();
}

}  // namespace weft::fuzz
