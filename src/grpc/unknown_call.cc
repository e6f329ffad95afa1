// SPDX-License-Identifier: Apache-2.0
// Armed, taken, replaced and answered.
#include "grpc/unknown_call.h"

namespace weft::grpc {

using ::grpc::StatusCode;

void UnknownCall::arm(Worker& worker) {
  auto* const call = new UnknownCall(worker);
  add(worker.counters_.armed, 1);
  worker.queue_.begin_idle();
  // Counted when it is known to come.
  call->context_.AsyncNotifyWhenDone(static_cast<Tag*>(call));
  worker.unknown_->RequestCall(&call->context_, &call->stream_, worker.completions_,
                               worker.completions_, worker.queue_.begin(*call));
}

// The request; then the end of the call, which is always ok, and of its answer, in any order.
void UnknownCall::complete(bool is_ok) {
  if (tags_ == 0) return on_requested(is_ok);
  was_answered_ = was_answered_ && is_ok;
  if (--tags_ == 0) end();
}

void UnknownCall::on_requested(bool is_ok) {
  add(worker_.counters_.armed, static_cast<std::uint64_t>(-1));
  worker_.queue_.end_idle();
  if (!is_ok) {
    worker_.stop_arming();  // the server shuts down
    delete this;
    return;
  }
  worker_.unknown_begins();
  if (worker_.arms_) arm(worker_);
  tags_ = 2;
  worker_.queue_.begin(*this);
  stream_.Finish({StatusCode::UNIMPLEMENTED, ""}, worker_.queue_.begin(*this));
}

void UnknownCall::end() {
  worker_.unknown_ends(was_answered_, context_.peer());
  delete this;
}

}  // namespace weft::grpc
