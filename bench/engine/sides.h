// SPDX-License-Identifier: Apache-2.0
// The two sides that run the same code: threads of libc's, and fibers of ours.
//
// A measurement is a template over its side. What a side does are calls into another file, so that
// the compiler sees as little of one as of the other.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "sched/runtime.h"
#include "sched/thread.h"

namespace weft::engine {

// libc's.
class Nptl {
 public:
  using Thread = pthread_t;
  explicit Nptl(unsigned workers);

  Thread start(void* (*function)(void*), void* argument);
  void join(Thread thread);

  static int lock(pthread_mutex_t* mutex);
  static int unlock(pthread_mutex_t* mutex);
  static int wait(pthread_cond_t* condition, pthread_mutex_t* mutex);
  static int signal(pthread_cond_t* condition);
  static int wait(sem_t* semaphore);
  static int post(sem_t* semaphore);
  static void yield();
  static long receive(int descriptor, void* buffer, std::size_t bytes);
  static long send(int descriptor, const void* buffer, std::size_t bytes);
};

// Ours, as a library that stands in for libc's functions would call it: it also asks whether the
// object is ours at all.
class Weft {
 public:
  using Thread = sched::Thread*;
  explicit Weft(unsigned workers);

  Thread start(void* (*function)(void*), void* argument);
  void join(Thread thread);

  static int lock(pthread_mutex_t* mutex);
  static int unlock(pthread_mutex_t* mutex);
  static int read_lock(pthread_rwlock_t* lock);
  static int unlock(pthread_rwlock_t* lock);
  static int wait(pthread_cond_t* condition, pthread_mutex_t* mutex);
  static int signal(pthread_cond_t* condition);
  static int wait(sem_t* semaphore);
  static int post(sem_t* semaphore);
  static void yield();
  static long receive(int descriptor, void* buffer, std::size_t bytes);
  static long send(int descriptor, const void* buffer, std::size_t bytes);

 private:
  sched::Runtime runtime_;
};

// Threads of a side that run one function each.
template <class Side>
class Team {
 public:
  explicit Team(Side& side) : side_(side) {}
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  void start(std::function<void()> function) {
    members_.push_back(std::make_unique<Member>(Member{std::move(function), {}}));
    members_.back()->thread = side_.start(&Team::main, members_.back().get());
  }
  void join() {
    for (const auto& member : members_) side_.join(member->thread);
    members_.clear();
  }

 private:
  struct Member {
    std::function<void()> function;
    typename Side::Thread thread;
  };
  static void* main(void* member) {
    static_cast<Member*>(member)->function();
    return nullptr;
  }
  Side& side_;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace weft::engine
