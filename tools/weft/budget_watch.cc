// SPDX-License-Identifier: Apache-2.0
// `weft budget --watch`: a live page on a terminal, a line of JSON each second in a pipe.
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>

#include <weft/budget_watch.h>

#include "base/text.h"
#include "budget_output.h"
#include "budget_problems.h"
#include "exit_code.h"
#include "os/file.h"

namespace weft::tool {
namespace {

constexpr std::chrono::milliseconds period = std::chrono::seconds(1);

// Keys arrive one by one and unseen while this lives, and the terminal is as before afterwards.
class RawTerminal {
 public:
  RawTerminal() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
    changed_ = true;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    std::fputs("\x1b[?1049h\x1b[?25l", stdout);  // the other screen, no cursor
  }
  ~RawTerminal() {
    if (!changed_) return;
    std::fputs("\x1b[?25h\x1b[?1049l", stdout);
    std::fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  termios before_{};
  bool changed_ = false;
};

// SIGINT, SIGTERM and the rest as something to poll, so that the terminal is always put right.
os::Descriptor take_ending_signals() {
  sigset_t ending;
  sigemptyset(&ending);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&ending, number);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  return os::Descriptor(signalfd(-1, &ending, SFD_CLOEXEC));
}

// Waits for the next look. false: the user wants to leave (a signal, or q).
bool wait_for_next(const os::Descriptor& signals, bool keys,
                   std::chrono::steady_clock::time_point next) {
  while (true) {
    const auto left = std::max(
        std::chrono::milliseconds(0),
        std::chrono::ceil<std::chrono::milliseconds>(next - std::chrono::steady_clock::now()));
    pollfd waiting[] = {{signals.get(), POLLIN, 0}, {keys ? STDIN_FILENO : -1, POLLIN, 0}};
    const int ready = poll(waiting, 2, static_cast<int>(left.count()));
    if (ready == 0 && left.count() == 0) return true;
    if (ready <= 0) continue;
    if (waiting[0].revents != 0) return false;
    if (waiting[1].revents != 0) {
      char key = 'q';
      if (read(STDIN_FILENO, &key, 1) <= 0 || key == 'q' || key == 'Q') return false;
    }
  }
}

// The page cut to the screen, so that the last line never scrolls it.
std::string fit(const std::string& page) {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 2) return page;
  std::string text;
  std::string_view rest = page;
  for (int row = 0; row + 2 < size.ws_row && !rest.empty(); ++row) {
    text.append(base::take_until(rest, '\n').substr(0, size.ws_col)).append("\x1b[K\n");
  }
  return text;
}

// What the last second brought, per level with a quota.
std::string recent_text(const budget::Pressure& before, const budget::Pressure& now) {
  std::string text;
  for (const budget::Throttling& level : now.throttling) {
    for (const budget::Throttling& old : before.throttling) {
      if (old.where != level.where || level.periods <= old.periods) continue;
      text += fmt::format("  last second: throttled in {} of {} periods, {}\n",
                          level.throttled_periods - old.throttled_periods,
                          level.periods - old.periods, level.where);
    }
  }
  return text;
}

void draw(const budget::Budget& budget, const budget::Pressure& before, const budget::Pressure& now,
          std::uint64_t changes) {
  const std::time_t time = std::time(nullptr);
  std::tm local{};
  localtime_r(&time, &local);
  char clock[16] = "";
  std::strftime(clock, sizeof clock, "%H:%M:%S", &local);
  const std::string head =
      fmt::format("weft budget  {}  changed {} times  (q leaves)\n", clock, changes);
  std::cout << "\x1b[H" << fit(head + recent_text(before, now) + "\n" + budget_page(budget, now))
            << "\x1b[J" << std::flush;
}

}  // namespace

int watch_budget(const budget::Query& query, bool always_json, int count) {
  const bool live = isatty(STDOUT_FILENO) == 1 && !always_json;
  const bool keys = live && isatty(STDIN_FILENO) == 1;
  const os::Descriptor signals = take_ending_signals();
  budget::Watch watch(query, std::chrono::milliseconds(0));
  const int exit_code = report_problems(fit_to_print(*watch.current()), std::cerr);
  std::optional<RawTerminal> terminal;
  if (live) terminal.emplace();
  budget::Pressure before = budget::read_pressure(query);
  bool changed = false;
  auto next = std::chrono::steady_clock::now();
  for (int looks = 1;; ++looks) {
    const auto budget = watch.current();
    budget::Pressure now = budget::read_pressure(query);
    if (live) {
      now = fit_to_print(std::move(now));
      draw(fit_to_print(*budget), before, now, watch.counters().changes);
    } else {
      std::cout << budget_json_line(*budget, now, changed) << std::endl;
    }
    if (!std::cout || (count > 0 && looks >= count)) return exit_code;
    before = std::move(now);
    // After a pause (stopped, frozen) it goes on, and does not make up for it.
    next = std::max(next + period, std::chrono::steady_clock::now());
    if (!wait_for_next(signals, keys, next)) return exit_code;
    if (const auto gone = check_query(query); !gone.empty()) {
      terminal.reset();
      std::cerr << "weft budget: " << gone << '\n';
      return exit_problem;
    }
    changed = watch.refresh();
  }
}

}  // namespace weft::tool
