// SPDX-License-Identifier: Apache-2.0
// libc's side.
#include <sched.h>
#include <sys/socket.h>

#include "measurement.h"
#include "sides.h"

namespace weft::engine {

Nptl::Nptl(unsigned /*workers: the kernel's affair*/) {}

Nptl::Thread Nptl::start(void* (*function)(void*), void* argument) {
  pthread_t thread{};
  require(pthread_create(&thread, nullptr, function, argument) == 0, "a thread can be made");
  return thread;
}

void Nptl::join(Thread thread) {
  require(pthread_join(thread, nullptr) == 0, "a thread can be joined");
}

int Nptl::lock(pthread_mutex_t* mutex) {
  return pthread_mutex_lock(mutex);
}
int Nptl::unlock(pthread_mutex_t* mutex) {
  return pthread_mutex_unlock(mutex);
}
int Nptl::wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return pthread_cond_wait(condition, mutex);
}
int Nptl::signal(pthread_cond_t* condition) {
  return pthread_cond_signal(condition);
}
int Nptl::wait(sem_t* semaphore) {
  return sem_wait(semaphore);
}
int Nptl::post(sem_t* semaphore) {
  return sem_post(semaphore);
}
void Nptl::yield() {
  sched_yield();
}
long Nptl::receive(int descriptor, void* buffer, std::size_t bytes) {
  return ::recv(descriptor, buffer, bytes, 0);
}
long Nptl::send(int descriptor, const void* buffer, std::size_t bytes) {
  return ::send(descriptor, buffer, bytes, MSG_NOSIGNAL);
}

}  // namespace weft::engine
