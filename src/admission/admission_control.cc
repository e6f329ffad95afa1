// SPDX-License-Identifier: Apache-2.0
// What a server calls.
#include <weft/admission_control.h>

#include "admission/sampler.h"

namespace weft {

Ticket::~Ticket() {
  if (gate_ == nullptr) return;
  const auto served = has_begun_ ? Clock::now() - since_ : Clock::duration::zero();
  gate_->end(has_begun_, served);
}

void Ticket::start() noexcept {
  if (gate_ == nullptr || has_begun_) return;
  const Clock::time_point now = Clock::now();
  gate_->start(priority_, now - since_);
  has_begun_ = true;
  since_ = now;
}

Admission Ticket::begin() noexcept {
  const Admission answer = look();
  if (answer.admitted()) start();
  return answer;
}

Admission Ticket::look() noexcept {
  if (gate_ == nullptr || has_begun_) return {};
  const Admission answer = gate_->look_at(priority_, Clock::now() - since_);
  if (!answer.admitted()) gate_ = nullptr;  // it is over
  return answer;
}

AdmissionControl::AdmissionControl(const AdmissionOptions& options)
    : sampler_(std::make_unique<Sampler>(options)) {}

AdmissionControl::~AdmissionControl() = default;

AdmissionControl::Answer AdmissionControl::admit(Priority priority) noexcept {
  admission::Gate& gate = sampler_->gate();
  const admission::Gate::Answer answer = gate.admit(priority);
  if (answer.calls) sampler_->call();
  if (!answer.admission.admitted()) return {answer.admission, Ticket()};
  return {answer.admission, Ticket(gate, priority)};
}

void AdmissionControl::record_wait(std::chrono::nanoseconds waited) noexcept {
  sampler_->gate().record_wait(waited);
}

void AdmissionControl::drain() noexcept {
  sampler_->gate().drain();
}

void AdmissionControl::set_cpus(std::uint32_t cpus) {
  sampler_->set_cpus(cpus);
}

AdmissionCounters AdmissionControl::counters() const {
  return sampler_->counters();
}

}  // namespace weft
