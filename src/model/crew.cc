// SPDX-License-Identifier: Apache-2.0
// Batons are semaphores; a crew is a vector of threads that wait for theirs.
#include "model/crew.h"

#include <cerrno>

namespace weft::model {

Baton::Baton() {
  sem_init(&semaphore_, 0, 0);
}
Baton::~Baton() {
  sem_destroy(&semaphore_);
}
void Baton::give() {
  sem_post(&semaphore_);
}
void Baton::await() {
  while (sem_wait(&semaphore_) != 0 && errno == EINTR) continue;
}

Crew::Crew(Job job) : job_(std::make_shared<const Job>(std::move(job))) {}

Crew::~Crew() {
  for (const auto& member : members_) {
    if (member->idle) {
      member->stop = true;
      member->baton.give();
      member->thread.join();
    } else {
      member->thread.detach();
    }
  }
}

void Crew::grow(std::size_t count) {
  while (members_.size() < count) {
    auto member = std::make_shared<Member>();
    members_.push_back(member);
    member->thread = std::thread([member, job = job_, index = members_.size() - 1] {
      for (;;) {
        member->baton.await();
        if (member->stop) return;
        member->idle = false;
        Baton& next = (*job)(index);
        member->idle = true;
        next.give();
      }
    });
  }
}

OnOneCpu::OnOneCpu() {
  const int here = sched_getcpu();
  if (here < 0 || sched_getaffinity(0, sizeof(before_), &before_) != 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(here), &one);
  changed_ = sched_setaffinity(0, sizeof(one), &one) == 0;
}

OnOneCpu::~OnOneCpu() {
  if (changed_) sched_setaffinity(0, sizeof(before_), &before_);
}

}  // namespace weft::model
