// SPDX-License-Identifier: Apache-2.0
// C11's threads, by the functions of POSIX that they are in libc, too.
#include <pthread.h>
#include <sched.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <memory>
#include <new>

#include "preload/real.h"

namespace weft::preload {
namespace {

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t) &&
              sizeof(once_flag) == sizeof(pthread_once_t));

pthread_mutex_t* as_pthread(mtx_t* mutex) {
  return reinterpret_cast<pthread_mutex_t*>(mutex);
}

pthread_cond_t* as_pthread(cnd_t* condition) {
  return reinterpret_cast<pthread_cond_t*>(condition);
}

int c11_result(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    case EBUSY:
      return thrd_busy;
    default:
      return thrd_error;
  }
}

void* as_pointer(int result) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(result));
}

struct Start {
  thrd_start_t function;
  void* argument;
};

void* run(void* argument) {
  const Start start = *static_cast<Start*>(argument);
  delete static_cast<Start*>(argument);
  return as_pointer(start.function(start.argument));
}

}  // namespace
}  // namespace weft::preload

using namespace weft::preload;

extern "C" {

int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  std::unique_ptr<Start> start(new (std::nothrow) Start{function, argument});
  if (start == nullptr) return thrd_nomem;
  const int error = pthread_create(thread, nullptr, run, start.get());
  if (error == 0) static_cast<void>(start.release());
  return c11_result(error);
}

int thrd_join(thrd_t thread, int* result) {
  void* value = nullptr;
  const int error = pthread_join(thread, &value);
  if (result != nullptr) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  return c11_result(error);
}

int thrd_detach(thrd_t thread) {
  return c11_result(pthread_detach(thread));
}

void thrd_exit(int result) {
  pthread_exit(as_pointer(result));
}

int thrd_sleep(const timespec* time, timespec* left) {
  const int error = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
  if (error == 0) return 0;
  return error == EINTR ? -1 : -2;
}

void thrd_yield() {
  sched_yield();
}

int mtx_init(mtx_t* mutex, int type) {
  if ((type & ~(mtx_plain | mtx_recursive | mtx_timed)) != 0) return thrd_error;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  const bool is_recursive = (type & mtx_recursive) != 0;
  pthread_mutexattr_settype(&attributes,
                            is_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
  return c11_result(pthread_mutex_init(as_pthread(mutex), &attributes));
}

void mtx_destroy(mtx_t* mutex) {
  pthread_mutex_destroy(as_pthread(mutex));
}

int mtx_lock(mtx_t* mutex) {
  return c11_result(pthread_mutex_lock(as_pthread(mutex)));
}

int mtx_timedlock(mtx_t* mutex, const timespec* time) {
  return c11_result(pthread_mutex_timedlock(as_pthread(mutex), time));
}

int mtx_trylock(mtx_t* mutex) {
  return c11_result(pthread_mutex_trylock(as_pthread(mutex)));
}

int mtx_unlock(mtx_t* mutex) {
  return c11_result(pthread_mutex_unlock(as_pthread(mutex)));
}

int cnd_init(cnd_t* condition) {
  return c11_result(pthread_cond_init(as_pthread(condition), nullptr));
}

void cnd_destroy(cnd_t* condition) {
  pthread_cond_destroy(as_pthread(condition));
}

int cnd_signal(cnd_t* condition) {
  return c11_result(pthread_cond_signal(as_pthread(condition)));
}

int cnd_broadcast(cnd_t* condition) {
  return c11_result(pthread_cond_broadcast(as_pthread(condition)));
}

int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return c11_result(pthread_cond_wait(as_pthread(condition), as_pthread(mutex)));
}

int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* time) {
  return c11_result(pthread_cond_timedwait(as_pthread(condition), as_pthread(mutex), time));
}

void call_once(once_flag* flag, void (*function)()) {
  pthread_once(reinterpret_cast<pthread_once_t*>(flag), function);
}

}  // extern "C"
