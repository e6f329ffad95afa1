// SPDX-License-Identifier: Apache-2.0
// The access log's buffer, and the thread that empties it.
#include "serve/access_log.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string_view>
#include <utility>

#include "os/file.h"
#include "serve/counters.h"

namespace weft::serve {
namespace {

// So long lines gather before they are written, unless there are many.
constexpr auto time_to_gather = std::chrono::milliseconds{50};
constexpr std::size_t enough_bytes = std::size_t{64} * 1024;
constexpr auto patience_at_end = std::chrono::seconds{5};

base::Result<os::Descriptor> open_file(const std::string& path) {
  if (path == "-") return os::Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
  // A pipe that nobody reads is told now, and not waited for.
  os::Descriptor file(::open(
      path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644));
  if (!file.valid()) {
    const char* const why = errno == ENXIO ? "nobody reads it" : std::strerror(errno);
    return base::Error{"the access log '" + path + "' cannot be opened: " + why};
  }
  ::fcntl(file.get(), F_SETFL, O_APPEND);  // it may block: it is the log's own thread that does
  return file;
}

std::uint64_t lines_of(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

// The file, on the log's thread.
class Output {
 public:
  explicit Output(os::Descriptor file) : file_(std::move(file)) {}

  void replace(os::Descriptor file) {
    file_ = std::move(file);
    is_within_line_ = false;
  }
  // Answers how many bytes it took; less than all: errno says why.
  std::size_t write(std::string_view text) {
    if (is_within_line_ && write_some("\n") == 0) return 0;
    std::size_t taken = 0;
    while (taken < text.size()) {
      const std::size_t bytes = write_some(text.substr(taken));
      if (bytes == 0) break;
      taken += bytes;
    }
    return taken;
  }

 private:
  std::size_t write_some(std::string_view text) {
    for (;;) {
      const ssize_t bytes = ::write(file_.get(), text.data(), text.size());
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes <= 0) return 0;
      const auto taken = static_cast<std::size_t>(bytes);
      is_within_line_ = text[taken - 1] != '\n';
      return taken;
    }
  }
  os::Descriptor file_;
  bool is_within_line_ = false;
};

}  // namespace

struct AccessLog::Buffer {
  explicit Buffer(AccessLogOptions all_options) : options(std::move(all_options)) {}

  void run(os::Descriptor file);
  // Answers how many lines the file did not take.
  std::uint64_t put(Output& output, std::string_view text);
  void open_again(Output& output);
  void complain(const std::string& message);

  const AccessLogOptions options;
  Count written, dropped;

  std::mutex lock;
  std::condition_variable wakes, has_ended;
  // Guarded by lock.
  std::string gathered;
  std::uint64_t lost = 0;  // lines, of which the log has not said so yet
  bool is_to_reopen = false, is_to_end = false, is_ended = false;

  bool fails = false;  // the thread's own: it has been complained of

  std::mutex complaints_lock;
  bool is_alone = false;  // guarded by complaints_lock; nobody is there to be told
};

void AccessLog::Buffer::complain(const std::string& message) {
  const std::scoped_lock guard(complaints_lock);
  if (!is_alone && options.complain) options.complain(message);
}

void AccessLog::Buffer::run(os::Descriptor file) {
  Output output(std::move(file));
  std::string text;
  std::unique_lock guard(lock);
  for (bool is_last = false; !is_last;) {
    const auto is_urgent = [this] { return is_to_end || is_to_reopen; };
    wakes.wait(guard, [&] { return !gathered.empty() || is_urgent(); });
    wakes.wait_for(guard, time_to_gather,
                   [&] { return gathered.size() >= enough_bytes || is_urgent(); });
    text.clear();
    std::swap(text, gathered);
    const std::uint64_t lost_before = std::exchange(lost, 0);
    const bool reopens = std::exchange(is_to_reopen, false);
    is_last = is_to_end;
    guard.unlock();
    // They were lost because there was no room behind these.
    if (lost_before != 0) {
      append_loss(text, options.format, lost_before, std::chrono::system_clock::now());
    }
    const std::uint64_t lines = lines_of(text) - (lost_before != 0 ? 1 : 0);
    const std::uint64_t missed = put(output, text);
    const std::uint64_t missed_lines = std::min(lines, missed);
    written.add(lines - missed_lines);
    dropped.add(missed_lines);
    if (reopens) open_again(output);
    guard.lock();
    if (missed != 0) lost += lost_before + missed_lines;
  }
  is_ended = true;
  has_ended.notify_all();
}

std::uint64_t AccessLog::Buffer::put(Output& output, std::string_view text) {
  const std::size_t taken = output.write(text);
  if (taken == text.size()) {
    fails = fails && text.empty();
    return 0;
  }
  const std::string why = std::strerror(errno);
  if (!std::exchange(fails, true)) {
    complain("the access log '" + options.path + "' takes no more, and lines are lost: " + why);
  }
  return lines_of(text.substr(taken));
}

void AccessLog::Buffer::open_again(Output& output) {
  auto file = open_file(options.path);
  if (file) return output.replace(std::move(*file));
  complain("kept the old one: " + file.error().message);
}

base::Result<std::unique_ptr<AccessLog>> AccessLog::open(AccessLogOptions options) {
  auto file = open_file(options.path);
  if (!file) return file.error();
  auto log =
      std::unique_ptr<AccessLog>(new AccessLog(std::make_shared<Buffer>(std::move(options))));
  log->thread_ = std::thread([buffer = log->buffer_, file = std::move(*file)]() mutable {
    ::pthread_setname_np(::pthread_self(), "weft-access-log");
    sigset_t signals;
    ::sigfillset(&signals);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    buffer->run(std::move(file));
  });
  return log;
}

AccessLog::AccessLog(std::shared_ptr<Buffer> buffer) : buffer_(std::move(buffer)) {}

AccessLog::~AccessLog() {
  if (!thread_.joinable()) return;
  const bool was_waited_for = is_told_to_end_;
  if (finish(was_waited_for ? std::chrono::seconds{0} : patience_at_end)) {
    thread_.join();
    return;
  }
  {
    const std::scoped_lock guard(buffer_->complaints_lock);
    buffer_->is_alone = true;
  }
  thread_.detach();
}

void AccessLog::write(const AccessRecord& record) noexcept try {
  thread_local std::string line;
  line.clear();
  append_line(line, buffer_->options.format, record);
  bool is_to_wake = false;
  {
    const std::scoped_lock guard(buffer_->lock);
    std::string& gathered = buffer_->gathered;
    const std::size_t before = gathered.size();
    if (buffer_->is_to_end || line.size() > buffer_->options.buffer_bytes - before) {
      ++buffer_->lost;
      return buffer_->dropped.add();
    }
    gathered += line;
    is_to_wake = before == 0 || (before < enough_bytes && gathered.size() >= enough_bytes);
  }
  if (is_to_wake) buffer_->wakes.notify_one();
} catch (...) {
  buffer_->dropped.add();  // no memory
}

void AccessLog::reopen() noexcept {
  const std::scoped_lock guard(buffer_->lock);
  buffer_->is_to_reopen = true;
  buffer_->wakes.notify_one();
}

bool AccessLog::finish(std::chrono::milliseconds patience) noexcept {
  is_told_to_end_ = true;
  std::unique_lock guard(buffer_->lock);
  buffer_->is_to_end = true;
  buffer_->wakes.notify_one();
  return buffer_->has_ended.wait_for(guard, patience, [this] { return buffer_->is_ended; });
}

std::uint64_t AccessLog::written() const noexcept {
  return buffer_->written.value();
}

std::uint64_t AccessLog::dropped() const noexcept {
  return buffer_->dropped.value();
}

}  // namespace weft::serve
