// SPDX-License-Identifier: Apache-2.0
// What is said becomes a line where it is said: there the context is that of the request.
#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/logger.h>
#include <weft/log.h>
#include <weft/trace.h>

#include <utility>

namespace weft {
namespace {

constexpr const char* text_pattern = "%Y-%m-%dT%H:%M:%S.%e%z %l %n %v";
constexpr const char* json_pattern =
    R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l","logger":"%n",%v})";

std::string line_of(LogFormat format, std::string_view said) {
  std::string line;
  if (format == LogFormat::text) {
    if (!correlation().empty()) line.append("[").append(correlation()).append("] ");
    log::append_printable(line, said);
    return line;
  }
  if (!correlation().empty()) {
    line += R"("correlation":")";
    log::append_json(line, correlation());
    line += "\",";
  }
  if (const Trace* const trace = current_trace.get()) {
    line.append(R"("trace":")").append(to_text(trace->parent)).append("\",");
  }
  line += R"("message":")";
  log::append_json(line, said);
  line += '"';
  return line;
}

// Makes lines, and leaves them to a logger that writes.
class RequestLogger final : public spdlog::logger {
 public:
  RequestLogger(LogFormat format, std::shared_ptr<spdlog::details::thread_pool> thread,
                std::shared_ptr<spdlog::logger> writer)
      : spdlog::logger(writer->name()),
        format_(format),
        thread_(std::move(thread)),
        writer_(std::move(writer)) {
    writer_->set_level(spdlog::level::trace);  // it is for this one to say what is written
    writer_->set_pattern(format == LogFormat::text ? text_pattern : json_pattern);
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& said) override {
    const std::string line = line_of(format_, {said.payload.data(), said.payload.size()});
    writer_->log(said.time, said.source, said.level, spdlog::string_view_t(line));
    if (should_flush_(said)) flush_();
  }
  void flush_() override { writer_->flush(); }

 private:
  const LogFormat format_;
  // Goes last, with what it has left to write; spdlog's logger knows it only weakly. Or none.
  const std::shared_ptr<spdlog::details::thread_pool> thread_;
  const std::shared_ptr<spdlog::logger> writer_;
};

}  // namespace

std::shared_ptr<spdlog::logger> make_logger(std::string name, const LogSinks& sinks,
                                            LogFormat format) {
  return std::make_shared<RequestLogger>(
      format, nullptr,
      std::make_shared<spdlog::logger>(std::move(name), sinks.begin(), sinks.end()));
}

std::shared_ptr<spdlog::logger> make_async_logger(std::string name, const LogSinks& sinks,
                                                  LogFormat format,
                                                  std::size_t most_waiting_lines) {
  auto thread = std::make_shared<spdlog::details::thread_pool>(most_waiting_lines, 1);
  auto writer =
      std::make_shared<spdlog::async_logger>(std::move(name), sinks.begin(), sinks.end(), thread,
                                             spdlog::async_overflow_policy::overrun_oldest);
  return std::make_shared<RequestLogger>(format, std::move(thread), std::move(writer));
}

}  // namespace weft
