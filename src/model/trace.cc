// SPDX-License-Identifier: Apache-2.0
// Collecting and writing traces.
#include "model/trace.h"

#include <algorithm>

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

void Trace::clear() {
  steps_.clear();
  cells_.clear();
  pointers_.clear();
  cells_met_ = 0;
}

void Trace::operation(Actor thread, base::AtomicOperation operation, const void* cell) {
  Step& step = steps_.emplace_back();
  step.actor = thread;
  step.operation = operation;
  // What is woken by name only may be gone, and its memory another atomic's later.
  const bool has_name = operation != base::AtomicOperation::wake || cells_.count(cell) != 0;
  if (cell != nullptr && has_name) step.cell = number_of(cell);
}

void Trace::yield(Actor thread) {
  Step& step = steps_.emplace_back();
  step.kind = Kind::yield;
  step.actor = thread;
}

void Trace::flush(Actor buffer, const void* cell, base::AtomicValue value) {
  Step& step = steps_.emplace_back();
  step.kind = Kind::flush;
  step.actor = buffer;
  step.cell = number_of(cell);
  step.written = number_of(value);
}

void Trace::woken(Actor thread) {
  Step& step = steps_.emplace_back();
  step.kind = Kind::woken;
  step.actor = thread;
}

void Trace::deadline_over(Actor deadline, base::ScheduleTime since_start) {
  Step& step = steps_.emplace_back();
  step.kind = Kind::deadline;
  step.actor = deadline;
  step.deadline = since_start;
}

void Trace::read(base::AtomicValue value) {
  steps_.back().read = number_of(value);
}
void Trace::written(base::AtomicValue value) {
  steps_.back().written = number_of(value);
}
void Trace::delayed() {
  steps_.back().delayed = true;
}
void Trace::blocked() {
  steps_.back().blocked = true;
}
void Trace::blocked_until(base::ScheduleTime since_start) {
  steps_.back().blocked = true;
  steps_.back().deadline = since_start;
}

std::string Trace::name_of(const void* cell) {
  return "a" + std::to_string(number_of(cell));
}

std::size_t Trace::number_of(const void* cell) {
  const auto [place, is_new] = cells_.try_emplace(cell, cells_met_);
  if (is_new) ++cells_met_;
  return place->second;
}

Trace::Value Trace::number_of(base::AtomicValue value) {
  if (!value.is_pointer || value.bits == 0) return {value.bits, value.is_pointer};
  return {pointers_.try_emplace(value.bits, pointers_.size() + 1).first->second, true};
}

std::vector<std::string> Trace::last(std::size_t count) const {
  std::vector<std::string> lines;
  const std::size_t first = steps_.size() - std::min(count, steps_.size());
  for (std::size_t i = first; i < steps_.size(); ++i) {
    lines.push_back(std::to_string(i) + "  " + to_text(steps_[i]));
  }
  return lines;
}

std::string Trace::to_text(const Value& value) {
  if (!value.is_pointer) return std::to_string(value.number);
  return value.number == 0 ? "null" : "p" + std::to_string(value.number);
}

std::string Trace::to_text(const Step& step) {
  std::string text = "thread " + std::to_string(thread_of(step.actor));
  switch (step.kind) {
    case Kind::yield:
      return text + " yields";
    case Kind::woken:
      return text + " is woken";
    case Kind::deadline:
      return text + "'s deadline is over, " + std::to_string(*step.deadline) + " ns";
    case Kind::flush:
      text += "'s delayed store reaches memory";
      break;
    case Kind::operation:
      text += std::string(" ") + model::name_of(step.operation);
      break;
  }
  if (step.cell) text += " a" + std::to_string(*step.cell);
  if (step.read) text += " was " + to_text(*step.read);
  if (step.written) text += " now " + to_text(*step.written);
  if (step.delayed) text += ", delayed";
  if (step.blocked) text += ", blocks";
  if (step.deadline) text += " until " + std::to_string(*step.deadline) + " ns";
  return text;
}

}  // namespace weft::model
