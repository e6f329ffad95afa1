// SPDX-License-Identifier: Apache-2.0
// Collecting and writing traces.
#include "model/trace.h"

#include <algorithm>
#include <unordered_map>

namespace weft::model {
namespace {

const char* name_of(base::AtomicOperation operation) {
  using Operation = base::AtomicOperation;
  switch (operation) {
    case Operation::load:
      return "load";
    case Operation::store:
      return "store";
    case Operation::exchange:
      return "exchange";
    case Operation::compare_exchange:
      return "compare_exchange";
    case Operation::fetch_add:
      return "fetch_add";
    case Operation::fetch_sub:
      return "fetch_sub";
    case Operation::fetch_and:
      return "fetch_and";
    case Operation::fetch_or:
      return "fetch_or";
    case Operation::fetch_xor:
      return "fetch_xor";
    case Operation::fence:
      return "fence";
    case Operation::wait:
      return "wait";
    case Operation::notify_one:
      return "notify_one";
    case Operation::notify_all:
      return "notify_all";
    case Operation::wake:
      return "wake";
  }
  return "unknown";
}

}  // namespace

struct Trace::Names {
  std::unordered_map<const void*, std::size_t> cells;
  std::size_t cells_met = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> pointers;

  std::string of(const void* cell) {
    const auto [place, is_new] = cells.try_emplace(cell, cells_met);
    if (is_new) ++cells_met;
    return "a" + std::to_string(place->second);
  }
  std::string of(base::AtomicValue value) {
    if (!value.is_pointer) return std::to_string(value.bits);
    if (value.bits == 0) return "null";
    const auto place = pointers.try_emplace(value.bits, pointers.size() + 1).first;
    return "p" + std::to_string(place->second);
  }
};

std::string Trace::name_of(const void* cell) const {
  Names names;
  for (const Step& step : steps_) static_cast<void>(to_text(step, names));
  return names.of(cell);
}

std::vector<std::string> Trace::last(std::size_t count) const {
  Names names;
  std::vector<std::string> lines;
  for (const Step& step : steps_) {
    std::string text = to_text(step, names);
    if (step.kind != Kind::forget) lines.push_back(std::to_string(lines.size()) + "  " + text);
  }
  lines.erase(lines.begin(),
              lines.end() - static_cast<std::ptrdiff_t>(std::min(count, lines.size())));
  return lines;
}

std::string Trace::to_text(const Step& step, Names& names) {
  std::string text = "thread " + std::to_string(thread_of(step.actor));
  switch (step.kind) {
    case Kind::forget:
      names.cells.erase(step.cell);
      return {};
    case Kind::yield:
      return text + " yields";
    case Kind::woken:
      return text + " is woken";
    case Kind::deadline:
      return text + "'s deadline is over, " + std::to_string(step.deadline) + " ns";
    case Kind::flush:
      text += "'s delayed store reaches memory";
      break;
    case Kind::operation:
      text += std::string(" ") + model::name_of(step.operation);
      break;
  }
  // What is woken by name only may be gone, and its memory another atomic's later.
  const bool has_name =
      step.operation != base::AtomicOperation::wake || names.cells.count(step.cell) != 0;
  if (step.cell != nullptr && has_name) text += " " + names.of(step.cell);
  if (step.has_read) text += " was " + names.of(step.read);
  if (step.has_written) text += " now " + names.of(step.written);
  if (step.delayed) text += ", delayed";
  if (step.blocked) text += ", blocks";
  if (step.has_deadline) text += " until " + std::to_string(step.deadline) + " ns";
  return text;
}

}  // namespace weft::model
