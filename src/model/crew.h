// SPDX-License-Identifier: Apache-2.0
// Crew: the kernel threads that model threads run on, and the batons that say whose turn it is.
#pragma once

#include <sched.h>
#include <semaphore.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace weft::model {

// Waits until it is given. Everything that was done before give() is seen after await().
class Baton {
 public:
  Baton();
  ~Baton();
  Baton(const Baton&) = delete;
  Baton& operator=(const Baton&) = delete;

  void give();
  void await();

 private:
  sem_t semaphore_;
};

class Crew {
 public:
  // What member i does each time it is given its baton while idle: runs a model thread, and answers
  // whom to give the turn to when that has finished.
  using Job = std::function<Baton&(std::size_t member)>;

  explicit Crew(Job job);
  // Ends the idle members. Those in the middle of a job are parked for good, see model.h.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Has at least so many members.
  void grow(std::size_t count);

  // A reference outlives the crew, for as long as its member is parked.
  Baton& baton(std::size_t member) { return members_[member]->baton; }
  // Whoever explores: not a member, and idle while one has the turn.
  Baton& explorer() noexcept { return explorer_; }

 private:
  struct Member {
    Baton baton;
    // Owned by who has the turn.
    bool idle = true;
    bool stop = false;
    std::thread thread;
  };

  const std::shared_ptr<const Job> job_;
  Baton explorer_;
  std::vector<std::shared_ptr<Member>> members_;
};

// Keeps the calling thread, and those it starts, on the CPU it is on: giving a baton to a thread
// on another CPU takes ten times as long, and no two of them ever run at once. Where the kernel
// refuses, exploring is slower and nothing else.
class OnOneCpu {
 public:
  OnOneCpu();
  ~OnOneCpu();
  OnOneCpu(const OnOneCpu&) = delete;
  OnOneCpu& operator=(const OnOneCpu&) = delete;

 private:
  cpu_set_t before_;
  bool changed_ = false;
};

}  // namespace weft::model
