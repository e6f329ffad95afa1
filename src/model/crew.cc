// SPDX-License-Identifier: Apache-2.0
// Members leave home, are carried, and are summoned to end.
#include "model/crew.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include "arch/system_call.h"
#include "base/atomic.h"

namespace weft::model {

Crew::Crew(Job job) : job_(std::move(job)) {
  arch::prepare();
}

Crew::~Crew() {
  for (const auto& member : members_) {
    if (!member->idle) {
      member->thread.detach();
      continue;
    }
    member->stop = true;
    member->door.summoned.store(1);
    arch::system_call(SYS_futex, reinterpret_cast<long>(&member->door.summoned), FUTEX_WAKE_PRIVATE,
                      1);
    member->thread.join();
  }
}

void Crew::grow(std::size_t count) {
  while (members_.size() < count) {
    const auto member = std::make_shared<Member>();
    member->door.stack_top = member->door_stack.data() + member->door_stack.size();
    // The thread has a share in what it is stopped in, and keeps it if it never ends.
    member->thread = std::thread([this, member, index = members_.size()] { work(*member, index); });
    while (member->door.away.load() == 0) base::yield();
    members_.push_back(member);
  }
}

// Once it has left home, what is here is continued by the explorer; and at the end, by home again.
void Crew::work(Member& member, std::size_t index) {
  member.seat.thread_pointer = arch::thread_pointer();
  weft_leave_home(&member.seat.context, &member.door);
  while (!member.stop) {
    member.idle = false;
    const std::size_t next = job_(index);
    member.idle = true;
    hand_over(index, next);
  }
}

void Crew::hand_over(std::size_t from, std::size_t to) {
  Seat& left = seat_of(from);
  const Seat& taken = seat_of(to);
  left.thread_pointer = arch::thread_pointer();
  weft_switch(&left.context, &taken.context, taken.thread_pointer);
}

}  // namespace weft::model
