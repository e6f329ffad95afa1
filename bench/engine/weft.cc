// SPDX-License-Identifier: Apache-2.0
// Our side.
#include <sys/socket.h>

#include "measurement.h"
#include "sched/io.h"
#include "sched/park.h"
#include "sides.h"
#include "sync/condition.h"
#include "sync/mutex.h"
#include "sync/rwlock.h"
#include "sync/semaphore.h"

namespace weft::engine {
namespace {

// Where libc would be asked. What is measured is always ours, but the question costs time.
int not_ours() {
  return EINVAL;
}

}  // namespace

Weft::Weft(unsigned workers) : runtime_({.workers = workers}) {}

Weft::Thread Weft::start(void* (*function)(void*), void* argument) {
  sched::Thread* thread = nullptr;
  require(sched::spawn(runtime_, nullptr, function, argument, &thread) == 0,
          "a thread can be made");
  return thread;
}

void Weft::join(Thread thread) {
  require(sched::join(thread, nullptr) == 0, "a thread can be joined");
}

int Weft::lock(pthread_mutex_t* mutex) {
  sync::Mutex& ours = sync::as_mutex(mutex);
  return ours.is_ours() ? ours.lock() : not_ours();
}
int Weft::unlock(pthread_mutex_t* mutex) {
  sync::Mutex& ours = sync::as_mutex(mutex);
  return ours.is_ours() ? ours.unlock() : not_ours();
}
int Weft::read_lock(pthread_rwlock_t* lock) {
  sync::RwLock& ours = sync::as_rwlock(lock);
  return ours.is_ours() ? ours.read_lock() : not_ours();
}
int Weft::unlock(pthread_rwlock_t* lock) {
  sync::RwLock& ours = sync::as_rwlock(lock);
  return ours.is_ours() ? ours.unlock() : not_ours();
}
int Weft::wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  sync::Condition& ours = sync::as_condition(condition);
  return ours.is_ours() ? ours.wait(sync::as_mutex(mutex)) : not_ours();
}
int Weft::signal(pthread_cond_t* condition) {
  sync::Condition& ours = sync::as_condition(condition);
  return ours.is_ours() ? ours.signal() : not_ours();
}
int Weft::wait(sem_t* semaphore) {
  sync::Semaphore& ours = sync::as_semaphore(semaphore);
  return ours.is_ours() ? ours.wait() : not_ours();
}
int Weft::post(sem_t* semaphore) {
  sync::Semaphore& ours = sync::as_semaphore(semaphore);
  return ours.is_ours() ? ours.post() : not_ours();
}
void Weft::yield() {
  sched::yield();
}
long Weft::receive(int descriptor, void* buffer, std::size_t bytes) {
  return sched::receive(descriptor, buffer, bytes, 0);
}
long Weft::send(int descriptor, const void* buffer, std::size_t bytes) {
  return sched::send(descriptor, buffer, bytes, MSG_NOSIGNAL);
}

}  // namespace weft::engine
