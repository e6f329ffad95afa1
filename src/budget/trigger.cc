// SPDX-License-Identifier: Apache-2.0
// A PSI trigger: a pressure file, written to once, then waited on.
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include <weft/pressure.h>

#include "budget/pressure_file.h"
#include "os/file.h"

namespace weft::budget {
namespace {

std::string refusal(const base::Error& error, const std::string& text) {
  std::string problem = error.message + " (asked for \"" + text + "\"); ";
  if (error.code == EINVAL) {
    problem +=
        "the window must be 500 ms to 10 s and longer than the stall, and without CAP_SYS_RESOURCE "
        "a multiple of 2 s";
  } else if (error.code == EPERM || error.code == EACCES) {
    problem += "it needs write access to the file, and before Linux 6.4 CAP_SYS_RESOURCE";
  } else {
    problem += "read_pressure() may still work";
  }
  return problem;
}

}  // namespace

Trigger::Trigger(const TriggerSpec& spec, const Query& query) {
  const Host host(query);
  const PressureFile file = find_pressure_file(host, view_cgroups(host), spec.resource, spec.scope);
  if (!file.problem.empty()) {
    problem_ = file.problem;
    return;
  }
  auto opened = os::open_to_update(host.local_path(file.where));
  if (!opened) {
    const bool no_access = opened.error().code == EACCES || opened.error().code == EPERM;
    problem_ = no_access
                   ? refusal(opened.error(), "a trigger")
                   : explain_no_pressure(host, file, opened.error().code, opened.error().message);
    return;
  }
  const std::string text = std::string(spec.full ? "full " : "some ") +
                           std::to_string(spec.stall.count()) + " " +
                           std::to_string(spec.window.count());
  // The kernel overwrites the last byte with its own terminator, so ours has to go along.
  const auto written =
      os::write_text(*opened, std::string_view(text.c_str(), text.size() + 1), file.where);
  if (!written) {
    problem_ = refusal(written.error(), text);
    return;
  }
  descriptor_ = opened->release();
}

Trigger::~Trigger() {
  const os::Descriptor closes(descriptor_);
}

Trigger::Trigger(Trigger&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), problem_(std::move(other.problem_)) {}

Trigger& Trigger::operator=(Trigger&& other) noexcept {
  if (this != &other) {
    const os::Descriptor closes(std::exchange(descriptor_, std::exchange(other.descriptor_, -1)));
    problem_ = std::move(other.problem_);
  }
  return *this;
}

Trigger::Event Trigger::wait(std::chrono::milliseconds timeout) const {
  if (!active()) return Event::gone;
  // A time that no clock can hold means: for ever.
  constexpr std::chrono::milliseconds for_ever = std::chrono::hours(24 * 365 * 100);
  const auto deadline = std::chrono::steady_clock::now() + std::min(timeout, for_ever);
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    constexpr std::chrono::milliseconds none{0};
    constexpr std::chrono::milliseconds longest{std::chrono::hours(24)};
    pollfd waiting{descriptor_, POLLPRI, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::clamp(left, none, longest).count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && left > longest) continue;
    if (ready == 0) return Event::timeout;
    return ready > 0 && (waiting.revents & POLLPRI) != 0 && (waiting.revents & POLLERR) == 0
               ? Event::pressure
               : Event::gone;
  }
}

}  // namespace weft::budget
